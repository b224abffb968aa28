// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-grids-to-threads: OpenMP's threads share the items of grids.

#include "dialect/tile/TileOps.h"
#include "passes/Passes.h"
#include "passes/body/IndexMath.h"
#include "passes/lower/x86/Threads.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

namespace mixattn {
#define GEN_PASS_DEF_GRIDSTOTHREADSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Bytes of a line of the cache, which no two threads share.
static constexpr int64_t scratchAlignment = 64;

static Value asIndex(ImplicitLocOpBuilder &b, Value number) {
  return arith::IndexCastOp::create(b, b.getIndexType(), number);
}

/// `bytes` rounded up to whole lines of the cache.
static Value emitLines(IndexMath &at, Value bytes) {
  return at.mul(at.div(at.add(bytes, scratchAlignment - 1), scratchAlignment),
                scratchAlignment);
}

/// Moves the ops of `grid` to `b`: item `item` with `scratch`, if it has any.
static void takeBody(tile::GridOp grid, ImplicitLocOpBuilder &b, Value item,
                     Value scratch) {
  Block &body = grid.getBody().front();
  body.getArgument(0).replaceAllUsesWith(item);
  if (scratch)
    grid.getScratch().replaceAllUsesWith(scratch);
  Block *block = b.getInsertionBlock();
  block->getOperations().splice(block->end(), body.getOperations());
}

namespace {

/// Emits how threads share the items of grids of a function. The items are as
/// many parts as threads, each of items that follow each other. A thread does
/// those of its own part, which in the next call and in the next kernel are in
/// its caches again, and then what is left of the others'.
///
/// OpenMP's dynamic loops do nothing like it, and take microseconds to begin.
class ItemSharing {
public:
  /// The numbers that items are counted with are on the stack, for all grids of
  /// `function` and all turns of the loops around them.
  explicit ItemSharing(FunctionOpInterface function);

  /// As many threads as share the items of a grid, an i32: as whichever runtime
  /// answers says. There will not be more.
  Value getThreads() const { return threads; }
  /// Divides the items of `grid`, none of which is done.
  void emitParts(ImplicitLocOpBuilder &b, tile::GridOp grid);
  /// Emits what thread `number` of a parallel region does with the items of
  /// `grid`.
  void emitItems(ImplicitLocOpBuilder &b, tile::GridOp grid, Value number,
                 Value scratch);

private:
  /// Numbers of a line of the cache: each part has one to itself.
  static constexpr int64_t perLine = scratchAlignment / sizeof(int64_t);

  /// Emits the items of part `part` that are left.
  void emitPart(ImplicitLocOpBuilder &b, tile::GridOp grid, Value part,
                Value scratch);

  Value threads, counters;
  /// How many parts there are, the items of each, and how many of the first
  /// have one more.
  Value parts, fewest, longer;
};

} // namespace

ItemSharing::ItemSharing(FunctionOpInterface function) {
  auto b = ImplicitLocOpBuilder::atBlockBegin(
      function.getLoc(), &function.getFunctionBody().front());
  IndexMath at(b);
  threads = emitMaxThreads(b);
  auto type = MemRefType::get(ShapedType::kDynamic, b.getI64Type());
  counters = memref::AllocaOp::create(
      b, type, ValueRange{at.mul(asIndex(b, threads), perLine)},
      b.getI64IntegerAttr(scratchAlignment));
}

void ItemSharing::emitParts(ImplicitLocOpBuilder &b, tile::GridOp grid) {
  IndexMath at(b);
  Value count = grid.getCounts().front();
  parts = asIndex(b, threads);
  // One thread alone has them all.
  if (Value isLarge = grid.getIsLarge())
    parts = b.createOrFold<arith::SelectOp>(isLarge, parts, at.value(1));
  fewest = at.div(count, parts);
  longer = at.rem(count, parts);
  Value none = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
  auto loop = scf::ForOp::create(b, at.value(0), parts, at.value(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  memref::StoreOp::create(b, none, counters,
                          ValueRange{at.mul(loop.getInductionVar(), perLine)});
}

void ItemSharing::emitPart(ImplicitLocOpBuilder &b, tile::GridOp grid,
                           Value part, Value scratch) {
  IndexMath at(b);
  Type index = b.getIndexType();
  Value first = at.add(at.mul(part, fewest), at.min(part, longer));
  Value isLonger = at.compare(arith::CmpIPredicate::slt, part, longer);
  Value end =
      at.add(fewest, Value(arith::IndexCastUIOp::create(b, index, isLonger)));
  Value place = at.mul(part, perLine);
  Value one = arith::ConstantOp::create(b, b.getI64IntegerAttr(1));
  scf::WhileOp::create(
      b, index, ValueRange(),
      [&](OpBuilder &nested, Location loc, ValueRange) {
        Value number = memref::AtomicRMWOp::create(
            nested, loc, arith::AtomicRMWKind::addi, one, counters, place);
        number = arith::IndexCastOp::create(nested, loc, index, number);
        Value isThere = arith::CmpIOp::create(
            nested, loc, arith::CmpIPredicate::ult, number, end);
        scf::ConditionOp::create(nested, loc, isThere, number);
      },
      [&](OpBuilder &nested, Location loc, ValueRange numbers) {
        ImplicitLocOpBuilder inside(loc, nested);
        Value item = IndexMath(inside).add(first, numbers.front());
        takeBody(grid, inside, item, scratch);
        inside.setInsertionPointToEnd(numbers.front().getParentBlock());
        scf::YieldOp::create(inside);
      });
}

void ItemSharing::emitItems(ImplicitLocOpBuilder &b, tile::GridOp grid,
                            Value number, Value scratch) {
  IndexMath at(b);
  auto loop = scf::ForOp::create(b, at.value(0), parts, at.value(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value part = at.rem(at.add(number, loop.getInductionVar()), parts);
  emitPart(b, grid, part, scratch);
}

static void lowerGrid(tile::GridOp grid, ItemSharing &sharing) {
  ImplicitLocOpBuilder b(grid.getLoc(), grid);
  IndexMath at(b);
  Value bytes, all;
  Value threads = sharing.getThreads();
  bool takesScratch = grid.getScratch() && !grid.getScratch().use_empty();
  if (takesScratch) {
    bytes = emitLines(at, grid.getScratchBytes());
    all = memref::AllocOp::create(b,
                                  cast<MemRefType>(grid.getScratch().getType()),
                                  at.mul(asIndex(b, threads), bytes),
                                  b.getI64IntegerAttr(scratchAlignment));
  }
  sharing.emitParts(b, grid);

  omp::ParallelOperands parallelOperands;
  parallelOperands.ifExpr = grid.getIsLarge();
  parallelOperands.numThreads = threads;
  auto parallel = omp::ParallelOp::create(b, parallelOperands);
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&parallel.getRegion());
    Value number = asIndex(b, emitThreadNumber(b)), scratch;
    if (all)
      scratch = memref::ViewOp::create(
          b, cast<MemRefType>(grid.getScratch().getType()), all,
          at.mul(number, bytes), ValueRange{bytes});
    sharing.emitItems(b, grid, number, scratch);
    omp::TerminatorOp::create(b);
  }
  if (all)
    memref::DeallocOp::create(b, all);
  grid.erase();
}

namespace {

struct GridsToThreadsPass
    : mixattn::impl::GridsToThreadsPassBase<GridsToThreadsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<tile::GridOp> grids;
    getOperation()->walk([&](tile::GridOp grid) { grids.push_back(grid); });
    for (tile::GridOp grid : grids)
      if (grid.getCounts().size() != 1 || grid.getThreads() != 1) {
        grid.emitOpError("cannot be shared by threads: expected one count and "
                         "items of one thread");
        return signalPassFailure();
      }
    llvm::MapVector<Operation *, ItemSharing> sharings;
    for (tile::GridOp grid : grids) {
      auto function = grid->getParentOfType<FunctionOpInterface>();
      auto [sharing, isNew] = sharings.try_emplace(function, function);
      lowerGrid(grid, sharing->second);
    }
  }
};

} // namespace
