// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices whose rows are walked a vector of columns at a time.

#include "passes/schedule/x86/shared/RowBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

Value RowBuilder::partOf(Value matrix, Value row, Value column, int64_t rows,
                         int64_t columns) {
  SmallVector<OpFoldResult> offsets = {row, column};
  SmallVector<OpFoldResult> extents = {b.getIndexAttr(rows),
                                       b.getIndexAttr(columns)};
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  return memref::SubViewOp::create(b, matrix, offsets, extents, strides);
}

Value RowBuilder::lanesBetween(int64_t begin, int64_t end) {
  SmallVector<bool> isSet;
  for (int64_t lane = 0; lane < sizes.lanes; ++lane)
    isSet.push_back(begin <= lane && lane < end);
  auto type = VectorType::get({sizes.lanes}, b.getI1Type());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, isSet));
}

void RowBuilder::forEachPart(int64_t count,
                             function_ref<void(Value, Value)> inside) {
  int64_t rest = count % sizes.lanes, whole = count - rest;
  if (whole)
    forEach(0, whole, sizes.lanes,
            [&](Value column) { inside(column, Value()); });
  if (rest)
    inside(at.value(whole), lanesBetween(0, rest));
}

void RowBuilder::emitIf(Value condition, function_ref<void()> then,
                        function_ref<void()> otherwise) {
  auto choice =
      scf::IfOp::create(b, condition, /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  then();
  if (!otherwise)
    return;
  b.setInsertionPointToStart(choice.elseBlock());
  otherwise();
}

Value RowBuilder::spread(Value number, VectorType type) {
  return vector::BroadcastOp::create(b, type, number);
}

Value RowBuilder::loadPart(Value matrix, Value row, Value column, Value mask) {
  Type element = cast<MemRefType>(matrix.getType()).getElementType();
  auto type = VectorType::get({sizes.lanes}, element);
  Value lanes;
  if (mask) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    lanes = vector::MaskedLoadOp::create(b, type, matrix,
                                         ValueRange{row, column}, mask, zero);
  } else {
    lanes = vector::LoadOp::create(b, type, matrix, ValueRange{row, column});
  }
  return element.isF32()
             ? lanes
             : arith::ExtFOp::create(b, rowType(), lanes).getResult();
}

void RowBuilder::storePart(Value lanes, Value matrix, Value row, Value column,
                           Value mask) {
  Type element = cast<MemRefType>(matrix.getType()).getElementType();
  if (!element.isF32())
    lanes = arith::TruncFOp::create(b, VectorType::get({sizes.lanes}, element),
                                    lanes);
  if (mask)
    vector::MaskedStoreOp::create(b, matrix, ValueRange{row, column}, mask,
                                  lanes);
  else
    store(lanes, matrix, row, column);
}

void RowBuilder::fillRow(double value, Value tile, Value row, int64_t columns) {
  forEach(0, columns, sizes.lanes,
          [&](Value column) { store(splat(value), tile, row, column); });
}

Value RowBuilder::loadNumber(Value buffer, ValueRange indices) {
  Value number = memref::LoadOp::create(b, buffer, indices);
  return number.getType().isF32()
             ? number
             : arith::ExtFOp::create(b, b.getF32Type(), number).getResult();
}

Value RowBuilder::emitDot(Value tile, Value row, Value weights,
                          int64_t columns) {
  auto loop = scf::ForOp::create(b, at.value(0), at.value(columns),
                                 at.value(sizes.lanes), ValueRange{splat(0)});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value column = loop.getInductionVar();
    Value term = load(tile, row, column);
    if (weights)
      term = mul(term, load(weights, at.value(0), column));
    scf::YieldOp::create(b, ValueRange{add(loop.getRegionIterArg(0), term)});
  }
  // Lanes are summed in pairs.
  return vector::ReductionOp::create(b, vector::CombiningKind::ADD,
                                     loop.getResult(0),
                                     arith::FastMathFlags::reassoc);
}
