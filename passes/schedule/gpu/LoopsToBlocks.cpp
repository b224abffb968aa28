// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-loops-to-blocks: loops that walk over positions one by one are those of
// one block of threads of a GPU.

#include "dialect/tile/TileOps.h"
#include "passes/Passes.h"
#include "passes/body/IndexMath.h"
#include "passes/schedule/gpu/ElementLoops.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace mixattn {
#define GEN_PASS_DEF_LOOPSTOBLOCKSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Threads of the block: so many have 128 registers each.
static constexpr int64_t threads = 512;

/// Whether threads of one block can run `loop` step by step.
static bool isForOneBlock(scf::ForOp loop) {
  if (loop.getNumResults() > 0)
    return false;
  bool isWritten = false;
  WalkResult result = loop.getBody()->walk([&](Operation *op) {
    if (isa<tile::GridOp>(op))
      return WalkResult::interrupt();
    if (auto linalg = dyn_cast<linalg::LinalgOp>(op)) {
      isWritten = true;
      return linalg.hasPureBufferSemantics() ? WalkResult::skip()
                                             : WalkResult::interrupt();
    }
    if (isa<memref::StoreOp>(op)) {
      isWritten = true;
      return WalkResult::advance();
    }
    return isMemoryEffectFree(op) ||
                   isa<memref::LoadOp, memref::AllocOp, memref::DeallocOp,
                       scf::ForOp, scf::IfOp>(op)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !result.wasInterrupted() && isWritten;
}

/// Gives `loop` the buffers of its steps from outside: a step needs none of the
/// one before. False where their sizes are known inside only.
static bool takeBuffersOut(scf::ForOp loop) {
  loop.walk([](LoopLikeOpInterface each) { moveLoopInvariantCode(each); });
  SmallVector<memref::AllocOp> buffers;
  loop.walk([&](memref::AllocOp op) { buffers.push_back(op); });
  for (memref::AllocOp buffer : buffers)
    if (!llvm::all_of(buffer.getOperands(), [&](Value size) {
          return loop.isDefinedOutsideOfLoop(size);
        }))
      return false;
  for (memref::AllocOp buffer : buffers) {
    for (Operation *user : llvm::make_early_inc_range(buffer->getUsers()))
      if (isa<memref::DeallocOp>(user))
        user->erase();
    buffer->moveBefore(loop);
    OpBuilder b(loop->getContext());
    b.setInsertionPointAfter(loop);
    memref::DeallocOp::create(b, buffer.getLoc(), buffer);
  }
  return true;
}

namespace {

/// Has the threads of a block run what one thread is written for: all compute
/// numbers and read memory, and share what is written.
class BlockOfThreads {
public:
  explicit BlockOfThreads(RewriterBase &rewriter) : rewriter(rewriter) {}

  void run(scf::ForOp loop);

private:
  void share(Block &block);
  void shareWrite(Operation *op);
  void shareElements(scf::ParallelOp loop);
  void emitBarrier(Location loc) { gpu::BarrierOp::create(rewriter, loc); }

  RewriterBase &rewriter;
  Value thread;
};

} // namespace

/// Has every thread take elements of `loop`, one after the other.
void BlockOfThreads::shareElements(scf::ParallelOp loop) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  IndexMath at(b);
  SmallVector<Value> counts;
  Value all = at.value(1);
  for (auto [lower, upper, step] :
       llvm::zip(loop.getLowerBound(), loop.getUpperBound(), loop.getStep())) {
    counts.push_back(
        b.createOrFold<arith::CeilDivUIOp>(at.sub(upper, lower), step));
    all = at.mul(all, counts.back());
  }
  auto elements = scf::ForOp::create(b, thread, all, at.value(threads));
  b.setInsertionPointToStart(elements.getBody());
  SmallVector<Value> place(counts.size());
  Value rest = elements.getInductionVar();
  for (int64_t dim = int64_t(counts.size()) - 1; dim >= 0; --dim) {
    place[dim] = dim == 0 ? rest : at.rem(rest, counts[dim]);
    rest = at.div(rest, counts[dim]);
  }
  for (auto [number, lower, step] :
       llvm::zip(place, loop.getLowerBound(), loop.getStep()))
    number = at.add(at.mul(number, step), lower);
  rewriter.eraseOp(loop.getBody()->getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(),
                             elements.getBody()->getTerminator(), place);
  rewriter.eraseOp(loop);
}

/// Threads write once all have read what was there, and read once all have
/// written.
void BlockOfThreads::shareWrite(Operation *op) {
  Location loc = op->getLoc();
  rewriter.setInsertionPoint(op);
  if (!isa_and_present<gpu::BarrierOp>(op->getPrevNode()))
    emitBarrier(loc);
  rewriter.setInsertionPointAfter(op);
  emitBarrier(loc);
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  if (!linalg || linalg.getNumParallelLoops() == 0) {
    rewriter.setInsertionPoint(op);
    Value first = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value isFirst = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq, thread, first);
    auto one = scf::IfOp::create(rewriter, loc, isFirst,
                                 /*withElseRegion=*/false);
    op->moveBefore(one.thenBlock()->getTerminator());
    if (linalg)
      emitElementLoops(rewriter, linalg);
    return;
  }
  Operation *before = op->getPrevNode();
  emitElementLoops(rewriter, linalg);
  for (Operation *next = before->getNextNode();; next = next->getNextNode())
    if (auto loop = dyn_cast<scf::ParallelOp>(next))
      return shareElements(loop);
}

void BlockOfThreads::share(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<linalg::LinalgOp, memref::StoreOp>(op)) {
      shareWrite(&op);
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        share(inner);
  }
}

void BlockOfThreads::run(scf::ForOp loop) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto grid = tile::GridOp::create(b, ValueRange{one}, threads);
  b.setInsertionPointToStart(&grid.getBody().front());
  thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  loop->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
  share(*loop.getBody());
}

namespace {

struct LoopsToBlocksPass
    : mixattn::impl::LoopsToBlocksPassBase<LoopsToBlocksPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> loops;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<tile::GridOp>(op))
        return WalkResult::skip();
      auto loop = dyn_cast<scf::ForOp>(op);
      if (!loop)
        return WalkResult::advance();
      loops.push_back(loop);
      return WalkResult::skip();
    });
    for (scf::ForOp loop : loops) {
      replaceCopies(rewriter, loop);
      if (!isForOneBlock(loop) || !takeBuffersOut(loop))
        continue;
      remark::missed(loop.getLoc(), remark::RemarkOpts::name("one block")
                                        .category("attn-loops-to-blocks"))
          << remark::reason("a loop over positions, one by one, is run by one "
                            "block of {0} threads",
                            threads);
      BlockOfThreads(rewriter).run(loop);
    }
  }
};

} // namespace
