// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of dense kernels that all families of GPUs share: places, and what
// sums go through.

#include "passes/schedule/gpu/DenseBlock.h"

#include "passes/body/ScoreBody.h"
#include "passes/schedule/DenseConsumers.h"
#include "passes/schedule/gpu/FragmentMap.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

Value DenseBlock::sizeOf(unsigned loop) {
  OperandDim dim = op.dimOf(loop);
  return b.createOrFold<memref::DimOp>(bufferOf(dim.value), dim.dim);
}

void DenseBlock::makeGrid(int64_t rows, int64_t threads) {
  // Blocks that a driver takes in the third number of a grid.
  constexpr int64_t most = 65535;
  Value batches = at.value(1);
  for (unsigned loop : shape.batches)
    batches = at.mul(batches, sizeOf(loop));
  std::optional<int64_t> known = getConstantIntValue(batches);
  bool mayBeMany = !known || *known > most;
  Value ofRows = at.add(sizeOf(shape.rowLoop), rows - 1);
  Value ofColumns = at.add(sizeOf(shape.columnLoop), shape.columns - 1);
  Values counts = {at.div(ofRows, rows), at.div(ofColumns, shape.columns),
                   batches};
  Value columns = counts[1];
  if (mayBeMany) {
    counts[1] = at.mul(columns, at.div(at.add(batches, most - 1), most));
    counts[2] = at.min(batches, most);
  }
  auto grid = tile::GridOp::create(b, counts, threads);
  b.setInsertionPointToStart(&grid.getBody().front());
  Values item(grid.getItem());
  if (mayBeMany) {
    item[2] = at.add(at.mul(at.div(item[1], columns), most), item[2]);
    item[1] = at.rem(item[1], columns);
    Value isThere = at.compare(arith::CmpIPredicate::ult, item[2], batches);
    auto choice = scf::IfOp::create(b, isThere, /*withElseRegion=*/false);
    b.setInsertionPointToStart(choice.thenBlock());
  }
  firstRow = at.mul(item[0], rows);
  firstOwnColumn = at.mul(item[1], shape.columns);
  firstColumn = shape.hasOpenColumns()
                    ? firstOwnColumn
                    : at.min(firstOwnColumn, shape.allColumns - shape.columns);
  Value rest = item[2];
  for (unsigned loop : llvm::reverse(shape.batches)) {
    Value size = sizeOf(loop);
    batch[loop] = at.rem(rest, size);
    rest = at.div(rest, size);
  }
  numRows = sizeOf(shape.rowLoop);
  numColumns = sizeOf(shape.columnLoop);
}

Value DenseBlock::countSteps(Value stepsOfLoop) {
  Value steps = stepsOfLoop;
  for (unsigned loop : shape.outerTerms)
    steps = at.mul(steps, sizeOf(loop));
  return steps;
}

std::pair<Value, DenseBlock::Place> DenseBlock::findStep(Value step,
                                                         Value stepsOfLoop) {
  Place place = batch;
  if (shape.outerTerms.empty())
    return {step, place};
  // Where there are no steps, no place is read: but nothing divides by 0.
  stepsOfLoop = at.max(stepsOfLoop, 1);
  Value outer = at.div(step, stepsOfLoop);
  for (unsigned loop : llvm::reverse(shape.outerTerms)) {
    Value size = at.max(sizeOf(loop), 1);
    place[loop] = at.rem(outer, size);
    outer = at.div(outer, size);
  }
  return {at.rem(step, stepsOfLoop), place};
}

Value DenseBlock::matrixOf(Value buffer, AffineMap map, const Place &place,
                           const Part &rows, const Part &columns) {
  SmallVector<OpFoldResult> offsets, extents;
  SmallVector<OpFoldResult> steps(map.getNumResults(), b.getIndexAttr(1));
  SmallVector<int64_t> sides = {rows.count, columns.count};
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    bool isColumn = loop == columns.loop;
    const Part *part = isColumn            ? &columns
                       : loop == rows.loop ? &rows
                                           : nullptr;
    OpFoldResult size = b.getIndexAttr(1);
    if (part && ShapedType::isStatic(part->count)) {
      size = b.getIndexAttr(part->count);
    } else if (part) {
      size = memref::getMixedSize(b, b.getLoc(), buffer, dim);
      int64_t &side = sides[isColumn];
      side = getConstantIntValue(size).value_or(side);
    }
    offsets.push_back(
        getAsOpFoldResult(part ? part->first : place.lookup(loop)));
    extents.push_back(size);
  }
  auto type = memref::SubViewOp::inferRankReducedResultType(
      sides, cast<MemRefType>(buffer.getType()), offsets, extents, steps);
  return memref::SubViewOp::create(b, type, buffer, offsets, extents, steps);
}

/// The element of the kernel's result for `sum`, the contraction's in `row` and
/// `column`.
Value DenseBlock::emitElement(Value row, Value column, Value sum) {
  Place place = batch;
  place[shape.rowLoop] = row;
  place[shape.columnLoop] = column;
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
  if (shape.hasOpenColumns())
    both(arith::CmpIPredicate::slt, numColumns);
  else if (!shape.areBlocksWhole())
    both(arith::CmpIPredicate::sge, firstOwnColumn);
  if (shape.width() != shape.columns)
    both(arith::CmpIPredicate::slt, at.add(firstColumn, shape.columns));
  return isOwn;
}

/// Writes `results`, of the rows from `first` on. Where the last block has
/// columns of the one before, or fewer, elements are written one by one.
void DenseBlock::emitStore(Value results, Value first, const Part &columns) {
  Value target = matrixOf(kernel.getOutputs()[0], op.resultMap, batch,
                          {shape.rowLoop, at.value(0)}, columns);
  if (shape.areBlocksWhole()) {
    tile::StoreOp::create(b, results, target, first, numRows);
    return;
  }
  Type element = cast<MemRefType>(target.getType()).getElementType();
  emitFragmentMap(b, first, columns.first, results, 1,
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
                        ValueRange{row, at.sub(column, columns.first)});
                    return Values{elements[0]};
                  });
}

/// Emits the pointwise ops on `sums`, of the rows from `first` on and the
/// columns from `column` on. They may compute in the place of a tensor that
/// they read: no element is read but by the thread that writes it.
Value DenseBlock::emitConsumers(Value sums, Value first, Value column) {
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
  return emitFragmentMap(b, first, column, sums, 1, element).front();
}

void DenseBlock::emitResults(Value sums, Value first, int64_t columnsAtATime) {
  if (kernel.getConsumers().empty())
    return emitStore(sums, first,
                     {shape.columnLoop, firstColumn, shape.columns});
  int64_t elements = cast<VectorType>(sums.getType()).getNumElements();
  for (int64_t from = 0; from < shape.columns; from += columnsAtATime) {
    Part columns = {shape.columnLoop, at.add(firstColumn, from),
                    std::min(columnsAtATime, shape.columns - from)};
    int64_t begin = from / 2;
    Value some = vector::ExtractStridedSliceOp::create(
        b, sums, begin, std::min(columnsAtATime / 2, elements - begin), 1);
    emitStore(emitConsumers(some, first, columns.first), first, columns);
  }
}
