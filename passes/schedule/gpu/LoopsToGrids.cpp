// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-loops-to-grids: runs on a GPU what no schedule takes, an element a
// thread.

#include "dialect/tile/TileOps.h"
#include "passes/Passes.h"
#include "passes/body/IndexMath.h"
#include "passes/schedule/gpu/ElementLoops.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace mixattn {
#define GEN_PASS_DEF_LOOPSTOGRIDSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Threads of a block, and elements of the innermost dim that a block takes.
static constexpr int64_t threads = 128, blockElements = 8 * threads;
/// Numbers of a constant that one thread writes at most.
static constexpr int64_t mostNumbers = 1024;

/// Runs the iterations of `loop` as a grid: a row of blocks for each place in
/// the outer dims, whose threads share the innermost one.
static void makeGrid(scf::ParallelOp loop) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  IndexMath at(b);
  SmallVector<Value> counts;
  for (auto [lower, upper, step] :
       llvm::zip(loop.getLowerBound(), loop.getUpperBound(), loop.getStep()))
    counts.push_back(
        b.createOrFold<arith::CeilDivUIOp>(at.sub(upper, lower), step));
  Value rows = at.value(1), columns = counts.back();
  for (Value count : ArrayRef(counts).drop_back())
    rows = at.mul(rows, count);
  Value pieces = at.div(at.add(columns, blockElements - 1), blockElements);
  auto grid = tile::GridOp::create(b, ValueRange{rows, pieces}, threads);
  b.setInsertionPointToStart(&grid.getBody().front());
  SmallVector<Value> place(counts.size());
  Value row = grid.getItem()[0];
  for (int64_t dim = int64_t(counts.size()) - 2; dim >= 0; --dim) {
    place[dim] = dim == 0 ? row : at.rem(row, counts[dim]);
    row = at.div(row, counts[dim]);
  }
  Value first = at.mul(grid.getItem()[1], blockElements);
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  auto elements = scf::ForOp::create(
      b, at.add(first, thread), at.min(at.add(first, blockElements), columns),
      at.value(threads));
  b.setInsertionPointToStart(elements.getBody());
  place.back() = elements.getInductionVar();
  for (auto [number, lower, step] :
       llvm::zip(place, loop.getLowerBound(), loop.getStep()))
    number = at.add(at.mul(number, step), lower);
  IRMapping mapping;
  mapping.map(loop.getInductionVars(), place);
  for (Operation &op : loop.getBody()->without_terminator())
    b.clone(op, mapping);
  loop.erase();
}

/// A grid of one thread; `b` stands in it then.
static void beginOne(ImplicitLocOpBuilder &b) {
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto grid = tile::GridOp::create(b, ValueRange{one}, /*threads=*/1);
  b.setInsertionPointToStart(&grid.getBody().front());
}

/// Has one thread run `op`, which gives one number.
static void runByOne(linalg::LinalgOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  beginOne(b);
  op->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
}

/// Puts the numbers of a constant, such as variances, in memory of the call.
static LogicalResult writeConstant(memref::GetGlobalOp op) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, op.getNameAttr());
  auto numbers = dyn_cast_if_present<DenseElementsAttr>(
      global ? global.getConstantInitValue() : Attribute());
  if (!numbers || numbers.getNumElements() > mostNumbers)
    return op.emitOpError("is no constant of at most ")
           << mostNumbers << " numbers, as a GPU's kernels write them";
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto buffer = memref::AllocOp::create(b, op.getType());
  Operation *end = op->getBlock()->getTerminator();
  OpBuilder atEnd(end);
  memref::DeallocOp::create(atEnd, op.getLoc(), buffer);
  beginOne(b);
  ArrayRef<int64_t> shape = op.getType().getShape();
  for (auto [i, number] : llvm::enumerate(numbers.getValues<Attribute>())) {
    SmallVector<Value> place;
    for (int64_t index : delinearize(i, computeStrides(shape)))
      place.push_back(arith::ConstantIndexOp::create(b, index));
    Value value = arith::ConstantOp::create(b, cast<TypedAttr>(number));
    memref::StoreOp::create(b, value, buffer, place);
  }
  op.replaceAllUsesWith(buffer.getResult());
  op.erase();
  return success();
}

namespace {

struct LoopsToGridsPass
    : mixattn::impl::LoopsToGridsPassBase<LoopsToGridsPass> {
  void runOnOperation() override {
    SmallVector<memref::GetGlobalOp> constants;
    getOperation()->walk(
        [&](memref::GetGlobalOp op) { constants.push_back(op); });
    for (memref::GetGlobalOp op : constants)
      if (failed(writeConstant(op)))
        return signalPassFailure();
    IRRewriter rewriter(&getContext());
    replaceCopies(rewriter, getOperation());
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics() && !op->getParentOfType<tile::GridOp>())
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops) {
      if (op.getNumParallelLoops() == 0)
        runByOne(op);
      emitElementLoops(rewriter, op);
    }
    SmallVector<scf::ParallelOp> loops;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<tile::GridOp>(op))
        return WalkResult::skip();
      auto loop = dyn_cast<scf::ParallelOp>(op);
      if (!loop || loop.getNumResults() > 0)
        return WalkResult::advance();
      loops.push_back(loop);
      return WalkResult::skip();
    });
    llvm::for_each(loops, makeGrid);
  }
};

} // namespace
