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

/// All scratch is one allocation in front of the loop, where a failure can be
/// reported.
static void lowerGrid(tile::GridOp grid) {
  ImplicitLocOpBuilder b(grid.getLoc(), grid);
  IndexMath at(b);
  Value bytes, all;
  bool takesScratch = grid.getScratch() && !grid.getScratch().use_empty();
  if (takesScratch)
    bytes = emitLines(at, grid.getScratchBytes());
  // Whichever runtime says how many: there will not be more.
  Value threads = emitMaxThreads(b);
  if (takesScratch)
    all = memref::AllocOp::create(b,
                                  cast<MemRefType>(grid.getScratch().getType()),
                                  at.mul(asIndex(b, threads), bytes),
                                  b.getI64IntegerAttr(scratchAlignment));
  Value zero = at.value(0), one = at.value(1);

  omp::ParallelOperands parallelOperands;
  parallelOperands.ifExpr = grid.getIsLarge();
  parallelOperands.numThreads = threads;
  auto parallel = omp::ParallelOp::create(b, parallelOperands);
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&parallel.getRegion());
    Value scratch;
    if (all) {
      Value offset = at.mul(asIndex(b, emitThreadNumber(b)), bytes);
      scratch = memref::ViewOp::create(
          b, cast<MemRefType>(grid.getScratch().getType()), all, offset,
          ValueRange{bytes});
    }
    omp::WsloopOperands shared;
    shared.scheduleKind = omp::ClauseScheduleKindAttr::get(
        b.getContext(), omp::ClauseScheduleKind::Dynamic);
    shared.scheduleChunk = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
    auto loop = omp::WsloopOp::create(b, shared);
    omp::TerminatorOp::create(b);
    b.createBlock(&loop.getRegion());
    omp::LoopNestOperands range;
    range.loopLowerBounds = {zero};
    range.loopUpperBounds = {grid.getCounts().front()};
    range.loopSteps = {one};
    auto nest = omp::LoopNestOp::create(b, range);
    Block *inside =
        b.createBlock(&nest.getRegion(), {}, b.getIndexType(), b.getLoc());
    takeBody(grid, b, inside->getArgument(0), scratch);
    b.setInsertionPointToEnd(inside);
    omp::YieldOp::create(b, ValueRange());
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
    for (tile::GridOp grid : grids)
      lowerGrid(grid);
  }
};

} // namespace
