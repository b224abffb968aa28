// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the dense schedule of mma: a contraction, and what its result goes
// through.

#include "passes/schedule/mma/Dense.h"

#include "passes/body/KeptHere.h"
#include "passes/body/NeverUnroll.h"
#include "passes/schedule/gpu/DenseBlock.h"
#include "passes/schedule/mma/DenseSizes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

namespace {

/// Emits the code of a block of threads.
class MmaDenseBlock : public DenseBlock {
public:
  MmaDenseBlock(ImplicitLocOpBuilder &b, KernelOp kernel, const Contraction &op,
                const DenseSizes &sizes)
      : DenseBlock(b, kernel, op, sizes), sizes(sizes) {}

  void emit();

private:
  /// Tile `number` of `tiles`, of `type`.
  Value tileOf(Value tiles, tile::SharedType type, Value number) {
    return tile::SharedRowsOp::create(b, type, tiles,
                                      at.mul(number, type.getRows()));
  }
  void emitCopies(Value step, Value stage, Value isThere = {});
  Values emitProducts(Value stage, ValueRange sums);
  Values emitStep(Value stage, Value next, Value nextStage, ValueRange sums,
                  Value isThere = {});
  Values emitTurns(ValueRange zeros);
  Values emitSteps(ValueRange zeros);
  Values emitLoop();

  const DenseSizes &sizes;
  Value numSteps;
  Value leftTiles, rightTiles;
};

} // namespace

/// Begins to copy both sides of `step`; zeros where there is `isThere`, and it
/// does not hold.
void MmaDenseBlock::emitCopies(Value step, Value stage, Value isThere) {
  Value last = at.sub(numSteps, 1);
  auto [number, place] =
      findStep(isThere ? at.min(step, last) : step, sizes.stepsOfLoop());
  Part terms = {sizes.termLoop, at.mul(number, sizes.terms), sizes.terms};
  auto copy = [&](Value matrix, Value row, Value end, Value tile) {
    if (isThere)
      end = arith::SelectOp::create(b, isThere, end, at.value(0));
    tile::MmaCopyOp::create(b, matrix, row, end, tile, DenseSizes::threads);
  };
  copy(matrixOf(bufferOf(op.left), op.leftMap, place,
                {sizes.rowLoop, at.value(0)}, terms),
       firstRow, numRows, tileOf(leftTiles, sizes.leftTiles(1), stage));
  Part columns = {sizes.columnLoop, firstColumn, sizes.columns};
  const Part &rows = sizes.areTermsInRows ? columns : terms;
  const Part &inRows = sizes.areTermsInRows ? terms : columns;
  copy(matrixOf(bufferOf(op.right), op.rightMap, place, rows, inRows),
       at.value(0), at.value(rows.count),
       tileOf(rightTiles, sizes.rightTiles(1), stage));
  tile::MmaCommitOp::create(b);
}

/// `sums` and the products of the step in `stage`.
MmaDenseBlock::Values MmaDenseBlock::emitProducts(Value stage,
                                                  ValueRange sums) {
  Value left = tileOf(leftTiles, sizes.leftTiles(1), stage);
  auto groupType = tile::SharedType::getPadded(DenseSizes::groupRows,
                                               sizes.depth(), sizes.type);
  Values lefts;
  for (int64_t group = 0; group < sizes.rowGroups; ++group)
    lefts.push_back(
        sizes.rowGroups == 1 ? left : tileOf(left, groupType, at.value(group)));
  auto product = tile::MmaProductOp::create(
      b, sums.getTypes(), lefts, tileOf(rightTiles, sizes.rightTiles(1), stage),
      sizes.areTermsInRows ? b.getUnitAttr() : UnitAttr(), sums);
  return Values(product.getResults());
}

/// `sums` and the products of the step in `stage`, once all have waited for it.
/// Copies of step `next` begin meanwhile.
MmaDenseBlock::Values MmaDenseBlock::emitStep(Value stage, Value next,
                                              Value nextStage, ValueRange sums,
                                              Value isThere) {
  tile::MmaWaitOp::create(b, int32_t(sizes.ahead() - 1));
  emitCopies(next, nextStage, isThere);
  return emitProducts(stage, sums);
}

/// The sums of all products, by turns of as many steps as there are stages:
/// each has a stage of its own, whose place is known. The first step comes
/// before all turns, so that what comes after them copies nothing.
MmaDenseBlock::Values MmaDenseBlock::emitTurns(ValueRange zeros) {
  int64_t ahead = sizes.ahead(), stages = sizes.stages;
  auto stage = [&](int64_t step) { return at.value(step % stages); };
  Values sums = emitStep(stage(0), at.value(ahead), stage(ahead), zeros);
  auto loop = scf::ForOp::create(b, at.value(0), at.sub(numSteps, stages),
                                 at.value(stages), sums);
  neverUnroll(loop);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    sums = Values(loop.getRegionIterArgs());
    for (int64_t step = 1; step <= stages; ++step)
      sums = emitStep(stage(step), at.add(loop.getInductionVar(), step + ahead),
                      stage(step + ahead), sums);
    scf::YieldOp::create(b, sums);
  }
  sums = Values(loop.getResults());
  for (int64_t step = 1; step < stages; ++step) {
    tile::MmaWaitOp::create(b, int32_t(ahead - step));
    sums = emitProducts(stage(step), sums);
  }
  return sums;
}

/// The sums of all products, step by step.
MmaDenseBlock::Values MmaDenseBlock::emitSteps(ValueRange zeros) {
  auto loop = scf::ForOp::create(b, at.value(0), numSteps, at.value(1), zeros);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar(), next = at.add(step, sizes.ahead());
  scf::YieldOp::create(
      b, emitStep(at.rem(step, sizes.stages), next, at.rem(next, sizes.stages),
                  loop.getRegionIterArgs(),
                  at.compare(arith::CmpIPredicate::slt, next, numSteps)));
  return Values(loop.getResults());
}

/// The sums of all products, a group of rows each.
MmaDenseBlock::Values MmaDenseBlock::emitLoop() {
  leftTiles = tile::SharedTileOp::create(b, sizes.leftTiles(sizes.stages), 0);
  rightTiles = tile::SharedTileOp::create(b, sizes.rightTiles(sizes.stages),
                                          sizes.rightOffset());
  bool areTurns = sizes.hasTurns();
  for (int64_t step = 0; step < sizes.ahead(); ++step)
    emitCopies(at.value(step), at.value(step),
               areTurns ? Value()
                        : at.compare(arith::CmpIPredicate::slt, at.value(step),
                                     numSteps));
  auto fragment = VectorType::get({sizes.width() / 2}, b.getF32Type());
  Value zero =
      arith::ConstantOp::create(b, DenseElementsAttr::get(fragment, 0.0f));
  Values zeros(sizes.rowGroups, zero);
  Values sums = areTurns ? emitTurns(zeros) : emitSteps(zeros);
  // The copies of steps that there are not.
  tile::MmaWaitOp::create(b, 0, /*own=*/true);
  // The last products fill all registers. What results go through reads
  // operands, which ptxas would load among them.
  if (!kernel.getConsumers().empty())
    keepLoadsAfter(b);
  return sums;
}

void MmaDenseBlock::emit() {
  makeGrid(sizes.rows(), DenseSizes::threads);
  numSteps = countSteps(sizes.stepsOfLoop());
  for (auto [group, sums] : llvm::enumerate(emitLoop()))
    emitResults(sums, at.add(firstRow, int64_t(group) * DenseSizes::groupRows),
                DenseSizes::columnsAtATime);
}

void mma::scheduleDense(KernelOp kernel, int64_t sharedBytes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  Contraction op = *findContraction(kernel.getAnchor());
  DenseSizes sizes(op, sharedBytes);
  MmaDenseBlock(b, kernel, op, sizes).emit();
  kernel.erase();
}
