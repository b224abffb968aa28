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
  void emitCopy(Value tensor, AffineMap map, const Place &place,
                const Part &rows, const Part &inRows, bool isWhole, Value tile,
                Value isThere);
  void emitCopies(Value step, Value stage, Value isThere);
  Values emitProducts(Value stage, ValueRange sums);
  Values emitStep(Value stage, Value next, Value nextStage, ValueRange sums,
                  Value isThere = {});
  Values emitTurns(ValueRange zeros);
  Values emitSteps(ValueRange zeros);
  Values emitLoop();

  const DenseSizes &sizes;
  Value stepsOfLoop, numSteps;
  Value leftTiles, rightTiles;
};

} // namespace

/// Begins to copy one side to `tile`. Rows whose count is open end where the
/// loop does: the tile has zeros there. All of it is zeros where `isThere` is
/// given and false. With `isWhole` every row has all of `inRows`; else a row
/// may end earlier, and begin at any address.
void MmaDenseBlock::emitCopy(Value tensor, AffineMap map, const Place &place,
                             const Part &rows, const Part &inRows, bool isWhole,
                             Value tile, Value isThere) {
  bool isOpen = ShapedType::isDynamic(rows.count);
  Value end = isOpen ? sizeOf(rows.loop) : at.value(rows.count);
  Value first = isOpen ? rows.first : at.value(0);
  Part all = {rows.loop, isOpen ? at.value(0) : rows.first, rows.count};
  if (isWhole) {
    if (isThere)
      end = arith::SelectOp::create(b, isThere, end, first);
    Value matrix = matrixOf(bufferOf(tensor), map, place, all, inRows);
    tile::MmaCopyOp::create(b, matrix, first, end, tile, DenseSizes::threads);
    return;
  }
  if (isThere)
    first = arith::SelectOp::create(b, isThere, first, end);
  Value matrix =
      matrixOf(bufferOf(tensor), map, place, all, {inRows.loop, at.value(0)});
  tile::FetchOp::create(b, matrix, ValueRange{first, inRows.first}, tile,
                        DenseSizes::threads);
}

/// Begins to copy both sides of `step`; zeros where there is `isThere`, and it
/// does not hold.
void MmaDenseBlock::emitCopies(Value step, Value stage, Value isThere) {
  Value last = at.sub(numSteps, 1);
  auto [number, place] =
      findStep(isThere ? at.min(step, last) : step, stepsOfLoop);
  auto countOf = [](int64_t count, bool isKnown) {
    return isKnown ? count : ShapedType::kDynamic;
  };
  bool areWhole = sizes.areStepsWhole(), isWide = !sizes.hasOpenColumns();
  Value firstTerm = at.mul(number, sizes.terms);
  Part terms = {sizes.termLoop, firstTerm, countOf(sizes.terms, areWhole)};
  Part columns = {sizes.columnLoop, firstColumn,
                  countOf(sizes.columns, isWide)};
  emitCopy(op.left, op.leftMap, place, {sizes.rowLoop, firstRow}, terms,
           areWhole, tileOf(leftTiles, sizes.leftTiles(1), stage), isThere);
  Value tile = tileOf(rightTiles, sizes.rightTiles(1), stage);
  if (sizes.areTermsInRows)
    emitCopy(op.right, op.rightMap, place, columns, terms, areWhole, tile,
             isThere);
  else
    emitCopy(op.right, op.rightMap, place, terms, columns, isWide, tile,
             isThere);
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
  stepsOfLoop = at.div(at.add(sizeOf(sizes.termLoop), sizes.terms - 1),
                       int64_t(sizes.terms));
  numSteps = countSteps(stepsOfLoop);
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
