// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the dense schedule of mma: a contraction, and what its result goes
// through.

#include "passes/schedule/mma/Dense.h"

#include "passes/body/ScoreBody.h"
#include "passes/schedule/DenseConsumers.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/gpu/FragmentMap.h"
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
  /// A part of a matrix: columns from `first` on, `count` of them.
  struct Columns {
    unsigned loop;
    Value first;
    int64_t count;
  };

  tile::GridOp makeGrid();
  void emitItem(tile::GridOp grid);
  Value sizeOf(unsigned loop);
  Value bufferOf(Value tensor) { return kernel.getOperandOf(tensor); }
  Value matrixOf(Value buffer, AffineMap map, const Place &place,
                 unsigned rowLoop, const Columns &columns);
  /// Tile `number` of `tiles`, of `type`.
  Value tileOf(Value tiles, tile::SharedType type, Value number) {
    return tile::SharedRowsOp::create(b, type, tiles,
                                      at.mul(number, type.getRows()));
  }
  void emitCopies(Value step, Value stage);
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

/// The matrix of the rows of `rowLoop` and of `columns`, the last dim; other
/// loops stand at `place`.
Value DenseBlock::matrixOf(Value buffer, AffineMap map, const Place &place,
                           unsigned rowLoop, const Columns &columns) {
  SmallVector<OpFoldResult> offsets, extents;
  SmallVector<OpFoldResult> steps(map.getNumResults(), b.getIndexAttr(1));
  int64_t rows = ShapedType::kDynamic;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    OpFoldResult size = memref::getMixedSize(b, b.getLoc(), buffer, dim);
    if (loop == columns.loop) {
      offsets.push_back(getAsOpFoldResult(columns.first));
      extents.push_back(b.getIndexAttr(columns.count));
    } else if (loop == rowLoop) {
      offsets.push_back(b.getIndexAttr(0));
      extents.push_back(size);
      rows = getConstantIntValue(size).value_or(rows);
    } else {
      offsets.push_back(getAsOpFoldResult(place.lookup(loop)));
      extents.push_back(b.getIndexAttr(1));
    }
  }
  auto type = memref::SubViewOp::inferRankReducedResultType(
      {rows, columns.count}, cast<MemRefType>(buffer.getType()), offsets,
      extents, steps);
  return memref::SubViewOp::create(b, type, buffer, offsets, extents, steps);
}

/// Begins to copy both sides of `step`; zeros of one that there is not.
void DenseBlock::emitCopies(Value step, Value stage) {
  Value isThere = at.compare(arith::CmpIPredicate::slt, step, numSteps);
  Value number = at.min(step, at.sub(numSteps, 1));
  Place place = batch;
  Value outer = at.div(number, sizes.stepsOfLoop());
  for (unsigned loop : llvm::reverse(sizes.outerTerms)) {
    Value size = sizeOf(loop);
    place[loop] = at.rem(outer, size);
    outer = at.div(outer, size);
  }
  Value term = at.mul(at.rem(number, sizes.stepsOfLoop()), sizes.terms);
  Columns terms = {sizes.termLoop, term, sizes.terms};
  auto copy = [&](Value matrix, Value row, Value end, Value tile) {
    Value some = arith::SelectOp::create(b, isThere, end, at.value(0));
    tile::MmaCopyOp::create(b, matrix, row, some, tile, DenseSizes::threads);
  };
  copy(matrixOf(bufferOf(op.left), op.leftMap, place, sizes.rowLoop, terms),
       firstRow, numRows, tileOf(leftTiles, sizes.leftTiles(1), stage));
  Value right = tileOf(rightTiles, sizes.rightTiles(1), stage);
  Value buffer = bufferOf(op.right);
  if (sizes.areTermsInRows)
    copy(matrixOf(buffer, op.rightMap, place, sizes.columnLoop, terms),
         firstColumn, at.value(sizes.allColumns), right);
  else
    copy(matrixOf(buffer, op.rightMap, place, sizes.termLoop,
                  {sizes.columnLoop, firstColumn, sizes.columns}),
         term, at.add(term, sizes.terms), right);
  tile::MmaCommitOp::create(b);
}

/// The sums of all products, a group of rows each.
DenseBlock::Values DenseBlock::emitLoop() {
  leftTiles = tile::SharedTileOp::create(b, sizes.leftTiles(sizes.stages), 0);
  rightTiles = tile::SharedTileOp::create(b, sizes.rightTiles(sizes.stages),
                                          sizes.rightOffset());
  int64_t ahead = sizes.stages - 1;
  for (int64_t step = 0; step < ahead; ++step)
    emitCopies(at.value(step), at.value(step));
  auto fragment = VectorType::get({sizes.width() / 2}, b.getF32Type());
  Value zeros =
      arith::ConstantOp::create(b, DenseElementsAttr::get(fragment, 0.0f));
  Values inits(sizes.rowGroups, zeros);
  auto loop = scf::ForOp::create(b, at.value(0), numSteps, at.value(1), inits);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value step = loop.getInductionVar(), stage = at.rem(step, sizes.stages);
    tile::MmaWaitOp::create(b, int32_t(ahead - 1));
    emitCopies(at.add(step, ahead), at.rem(at.add(step, ahead), sizes.stages));
    Value left = tileOf(leftTiles, sizes.leftTiles(1), stage);
    auto groupType = tile::SharedType::getPadded(DenseSizes::groupRows,
                                                 sizes.depth(), sizes.type);
    Values lefts;
    for (int64_t group = 0; group < sizes.rowGroups; ++group)
      lefts.push_back(sizes.rowGroups == 1
                          ? left
                          : tileOf(left, groupType, at.value(group)));
    auto product = tile::MmaProductOp::create(
        b, ValueRange(inits).getTypes(), lefts,
        tileOf(rightTiles, sizes.rightTiles(1), stage),
        sizes.areTermsInRows ? b.getUnitAttr() : UnitAttr(),
        loop.getRegionIterArgs());
    scf::YieldOp::create(b, product.getResults());
  }
  // The copies of steps that there are not.
  tile::MmaWaitOp::create(b, 0, /*own=*/true);
  return Values(loop.getResults());
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
  Value target =
      matrixOf(kernel.getOutputs()[0], op.resultMap, batch, sizes.rowLoop,
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
