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

/// A number on the stack that all threads of `grid` count with.
static Value makeCounter(tile::GridOp grid) {
  // One for all turns of the loops around the grid.
  auto function = grid->getParentOfType<FunctionOpInterface>();
  auto b = ImplicitLocOpBuilder::atBlockBegin(
      grid.getLoc(), &function.getFunctionBody().front());
  constexpr int64_t numbers = scratchAlignment / sizeof(int64_t);
  return memref::AllocaOp::create(b, MemRefType::get(numbers, b.getI64Type()),
                                  b.getI64IntegerAttr(scratchAlignment));
}

/// Emits what each thread does: as long as there are items it takes the `next`.
/// OpenMP's dynamic loops do the same, but take microseconds to begin and for
/// each item.
static void emitItems(tile::GridOp grid, ImplicitLocOpBuilder &b, Value next,
                      Value scratch) {
  IndexMath at(b);
  Type index = b.getIndexType();
  Value zero = at.value(0);
  Value one = arith::ConstantOp::create(b, b.getI64IntegerAttr(1));
  scf::WhileOp::create(
      b, index, ValueRange(),
      [&](OpBuilder &nested, Location loc, ValueRange) {
        Value item = memref::AtomicRMWOp::create(
            nested, loc, arith::AtomicRMWKind::addi, one, next, zero);
        item = arith::IndexCastOp::create(nested, loc, index, item);
        Value isThere =
            arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::ult, item,
                                  grid.getCounts().front());
        scf::ConditionOp::create(nested, loc, isThere, item);
      },
      [&](OpBuilder &nested, Location loc, ValueRange items) {
        ImplicitLocOpBuilder inside(loc, nested);
        takeBody(grid, inside, items.front(), scratch);
        inside.setInsertionPointToEnd(items.front().getParentBlock());
        scf::YieldOp::create(inside);
      });
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
  Value next = makeCounter(grid);
  Value none = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
  memref::StoreOp::create(b, none, next, ValueRange{at.value(0)});

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
    emitItems(grid, b, next, scratch);
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
    for (tile::GridOp grid : grids)
      lowerGrid(grid);
  }
};

} // namespace
