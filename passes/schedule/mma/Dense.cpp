// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the dense schedule of mma: a contraction, and what its result goes
// through.

#include "passes/schedule/mma/Dense.h"

#include "passes/body/ScoreBody.h"
#include "passes/schedule/DenseConsumers.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/gpu/FragmentMap.h"
#include "passes/schedule/gpu/NeverUnroll.h"
#include "passes/schedule/mma/DenseSizes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

namespace {

/// Emits the code of a block of threads.
class DenseBlock {
public:
  using Values = SmallVector<Value>;
  /// An index for each loop.
  using Place = llvm::DenseMap<unsigned, Value>;

  DenseBlock(ImplicitLocOpBuilder &b, KernelOp kernel, const Contraction &op,
             const DenseSizes &sizes)
      : b(b), at(b), kernel(kernel), op(op), sizes(sizes),
        buffers(ValueRange(kernel.getInputs())) {}

  void emit();

private:
  /// A part of a loop: from `first` on, `count` of it, or all that there are.
  struct Part {
    unsigned loop;
    Value first;
    int64_t count = ShapedType::kDynamic;
  };

  tile::GridOp makeGrid();
  void emitItem(tile::GridOp grid);
  Value sizeOf(unsigned loop);
  Value bufferOf(Value tensor) { return kernel.getOperandOf(tensor); }
  Value matrixOf(Value buffer, AffineMap map, const Place &place,
                 const Part &rows, const Part &columns);
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
  Value emitElement(Value row, Value column, Value sum);
  Value emitIsOwn(Value row, Value column);
  Value emitConsumers(Value sums, Value first);
  void emitStore(Value results, Value first);
  void emitResults(ValueRange sums);

  ImplicitLocOpBuilder &b;
  IndexMath at;
  KernelOp kernel;
  const Contraction &op;
  const DenseSizes &sizes;
  KernelBuffers buffers;
  Place batch;
  /// The first column of the block, and the first that it alone has.
  Value firstColumn, firstOwnColumn;
  Value firstRow, numRows, numSteps;
  Value leftTiles, rightTiles;
};

} // namespace

Value DenseBlock::sizeOf(unsigned loop) {
  OperandDim dim = op.dimOf(loop);
  return b.createOrFold<memref::DimOp>(bufferOf(dim.value), dim.dim);
}

tile::GridOp DenseBlock::makeGrid() {
  Value batches = at.value(1);
  for (unsigned loop : sizes.batches)
    batches = at.mul(batches, sizeOf(loop));
  Value rows = at.add(sizeOf(sizes.rowLoop), sizes.rows() - 1);
  return tile::GridOp::create(b,
                              ValueRange{at.div(rows, sizes.rows()),
                                         at.value(sizes.columnBlocks()),
                                         batches},
                              DenseSizes::threads);
}

void DenseBlock::emitItem(tile::GridOp grid) {
  b.setInsertionPointToStart(&grid.getBody().front());
  ValueRange item = grid.getItem();
  firstRow = at.mul(item[0], sizes.rows());
  firstOwnColumn = at.mul(item[1], sizes.columns);
  firstColumn = at.min(firstOwnColumn, sizes.allColumns - sizes.columns);
  Value rest = item[2];
  for (unsigned loop : llvm::reverse(sizes.batches)) {
    Value size = sizeOf(loop);
    batch[loop] = at.rem(rest, size);
    rest = at.div(rest, size);
  }
  numRows = sizeOf(sizes.rowLoop);
  numSteps = at.value(sizes.stepsOfLoop());
  for (unsigned loop : sizes.outerTerms)
    numSteps = at.mul(numSteps, sizeOf(loop));
}

/// The matrix of `rows` and of `columns`, the last dim; other loops stand at
/// `place`.
Value DenseBlock::matrixOf(Value buffer, AffineMap map, const Place &place,
                           const Part &rows, const Part &columns) {
  SmallVector<OpFoldResult> offsets, extents;
  SmallVector<OpFoldResult> steps(map.getNumResults(), b.getIndexAttr(1));
  SmallVector<int64_t> sides = {rows.count, columns.count};
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    const Part *part = loop == columns.loop ? &columns
                       : loop == rows.loop  ? &rows
                                            : nullptr;
    OpFoldResult size = b.getIndexAttr(1);
    if (part && ShapedType::isStatic(part->count)) {
      size = b.getIndexAttr(part->count);
    } else if (part) {
      size = memref::getMixedSize(b, b.getLoc(), buffer, dim);
      sides[0] = getConstantIntValue(size).value_or(sides[0]);
    }
    offsets.push_back(
        getAsOpFoldResult(part ? part->first : place.lookup(loop)));
    extents.push_back(size);
  }
  auto type = memref::SubViewOp::inferRankReducedResultType(
      sides, cast<MemRefType>(buffer.getType()), offsets, extents, steps);
  return memref::SubViewOp::create(b, type, buffer, offsets, extents, steps);
}

/// Begins to copy both sides of `step`; zeros where there is `isThere`, and it
/// does not hold.
void DenseBlock::emitCopies(Value step, Value stage, Value isThere) {
  Value number = isThere ? at.min(step, at.sub(numSteps, 1)) : step;
  Place place = batch;
  Value outer = at.div(number, sizes.stepsOfLoop());
  for (unsigned loop : llvm::reverse(sizes.outerTerms)) {
    Value size = sizeOf(loop);
    place[loop] = at.rem(outer, size);
    outer = at.div(outer, size);
  }
  if (!sizes.outerTerms.empty())
    number = at.rem(number, sizes.stepsOfLoop());
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
DenseBlock::Values DenseBlock::emitProducts(Value stage, ValueRange sums) {
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
DenseBlock::Values DenseBlock::emitStep(Value stage, Value next,
                                        Value nextStage, ValueRange sums,
                                        Value isThere) {
  tile::MmaWaitOp::create(b, int32_t(sizes.ahead() - 1));
  emitCopies(next, nextStage, isThere);
  return emitProducts(stage, sums);
}

/// The sums of all products, by turns of as many steps as there are stages:
/// each has a stage of its own, whose place is known. The first step comes
/// before all turns, so that what comes after them copies nothing.
DenseBlock::Values DenseBlock::emitTurns(ValueRange zeros) {
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
DenseBlock::Values DenseBlock::emitSteps(ValueRange zeros) {
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
DenseBlock::Values DenseBlock::emitLoop() {
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
  return sums;
}

/// The element of the kernel's result for `sum`, the contraction's in `row` and
/// `column`.
Value DenseBlock::emitElement(Value row, Value column, Value sum) {
  Place place = batch;
  place[sizes.rowLoop] = row;
  place[sizes.columnLoop] = column;
  Type element = getElementTypeOrSelf(op.getResult());
  Value made = element.isF32()
                   ? sum
                   : arith::TruncFOp::create(b, element, sum).getResult();
  llvm::DenseMap<Value, Value> results = {{op.getResult(), made}};
  for (Operation *each : kernel.getConsumers()) {
    auto consumer = cast<linalg::GenericOp>(each);
    Values elements;
    for (OpOperand *input : consumer.getDpsInputOperands()) {
      Value value = input->get();
      if (Value own = results.lookup(value)) {
        elements.push_back(own);
        continue;
      }
      Value outside = buffers.emitNumber(b, value);
      if (!isa<MemRefType>(outside.getType())) {
        elements.push_back(outside);
        continue;
      }
      AffineMap map =
          consumer.getMatchingIndexingMap(input).compose(op.resultMap);
      Values indices;
      for (AffineExpr expr : map.getResults())
        indices.push_back(
            place.lookup(cast<AffineDimExpr>(expr).getPosition()));
      elements.push_back(memref::LoadOp::create(b, outside, indices));
    }
    made = emitConsumer(b, consumer, elements);
    results[consumer->getResult(0)] = made;
  }
  return toF32(b, b.getLoc(), made);
}

/// Whether the element in `row` and `column` is there, and of no other block.
Value DenseBlock::emitIsOwn(Value row, Value column) {
  Value isOwn = at.compare(arith::CmpIPredicate::slt, row, numRows);
  auto both = [&](arith::CmpIPredicate predicate, Value bound) {
    isOwn =
        arith::AndIOp::create(b, isOwn, at.compare(predicate, column, bound));
  };
  if (sizes.allColumns % sizes.columns)
    both(arith::CmpIPredicate::sge, firstOwnColumn);
  if (sizes.width() != sizes.columns)
    both(arith::CmpIPredicate::slt, at.add(firstColumn, sizes.columns));
  return isOwn;
}

/// Writes `results`, of the group of rows from `first` on. Where the last block
/// has columns of the one before, elements are written one by one.
void DenseBlock::emitStore(Value results, Value first) {
  Value target = matrixOf(kernel.getOutputs()[0], op.resultMap, batch,
                          {sizes.rowLoop, at.value(0)},
                          {sizes.columnLoop, firstColumn, sizes.columns});
  if (sizes.allColumns % sizes.columns == 0) {
    tile::StoreOp::create(b, results, target, first, numRows);
    return;
  }
  Type element = cast<MemRefType>(target.getType()).getElementType();
  emitFragmentMap(b, first, firstColumn, results, 1,
                  [&](Value row, Value column, ValueRange elements) {
                    auto choice = scf::IfOp::create(b, emitIsOwn(row, column),
                                                    /*withElseRegion=*/false);
                    OpBuilder::InsertionGuard guard(b);
                    b.setInsertionPointToStart(choice.thenBlock());
                    Value number = elements[0];
                    if (!element.isF32())
                      number = arith::TruncFOp::create(b, element, number);
                    memref::StoreOp::create(
                        b, number, target,
                        ValueRange{row, at.sub(column, firstColumn)});
                    return Values{elements[0]};
                  });
}

/// Emits the pointwise ops on `sums`, of the group of rows from `first` on.
/// They may compute in the place of a tensor that they read: no element is read
/// but by the thread that writes it.
Value DenseBlock::emitConsumers(Value sums, Value first) {
  if (kernel.getConsumers().empty())
    return sums;
  auto element = [&](Value row, Value column, ValueRange elements) {
    auto choice = scf::IfOp::create(b, b.getF32Type(), emitIsOwn(row, column),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, emitElement(row, column, elements[0]));
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, elements[0]);
    return Values{choice.getResult(0)};
  };
  return emitFragmentMap(b, first, firstColumn, sums, 1, element).front();
}

void DenseBlock::emitResults(ValueRange sums) {
  for (auto [group, fragment] : llvm::enumerate(sums)) {
    Value first = at.add(firstRow, int64_t(group) * DenseSizes::groupRows);
    emitStore(emitConsumers(fragment, first), first);
  }
}

void DenseBlock::emit() {
  emitItem(makeGrid());
  emitResults(emitLoop());
}

void mma::scheduleDense(KernelOp kernel, int64_t sharedBytes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  Contraction op = *findContraction(kernel.getAnchor());
  DenseSizes sizes(op, sharedBytes);
  DenseBlock(b, kernel, op, sizes).emit();
  kernel.erase();
}
