// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights, errors and sums of a few rows of a pool.

#include "passes/schedule/gpu/BandedRows.h"

#include "passes/body/ScoreBody.h"
#include "passes/schedule/gpu/Lanes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace mixattn;
using namespace mixattn::gpus;

/// A row after all rows.
static constexpr int64_t noRow = std::numeric_limits<int64_t>::max();

Value BandedRows::fromLane(Value number, int64_t from) {
  auto i32 = [&](int64_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(value)));
  };
  return gpu::ShuffleOp::create(b, number, i32(from), i32(lanes),
                                gpu::ShuffleMode::IDX)
      .getShuffleResult();
}

Value BandedRows::wide(Value index) {
  return arith::IndexCastOp::create(b, b.getI64Type(), index);
}

Value BandedRows::wideNumber(int64_t value) {
  return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
}

Value BandedRows::addWeighted(Value weight, Value value, Value sum,
                              bool checksWeight) {
  if (!checksWeight)
    return math::FmaOp::create(b, weight, value, sum);
  Value zero = number(0);
  Value isZero =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, weight, zero);
  value = arith::SelectOp::create(b, isZero, zero, value);
  return math::FmaOp::create(b, weight, value, sum);
}

/// The lane's weight of `row`: 0 beyond the rows.
Value BandedRows::readWeight(Value row) {
  Value t = at.rem(lane, rowLanes), length = sizeOf(op.getValue(), 2);
  auto isBelow = arith::CmpIPredicate::ult;
  Value isThere = arith::AndIOp::create(
      b, at.compare(isBelow, row, length),
      at.compare(isBelow, at.sub(at.add(row, t), places / 2), length));
  isThere = arith::AndIOp::create(b, isThere, at.compare(isBelow, t, places));
  Value weight = toF32(
      b, b.getLoc(),
      memref::LoadOp::create(b, buffers.bufferOf(op.getBand()),
                             ValueRange{head, at.min(row, at.sub(length, 1)),
                                        at.min(t, places - 1)}));
  return arith::SelectOp::create(b, isThere, weight, number(0));
}

SmallVector<Value> BandedRows::readWeights(Value row) {
  Values read;
  if (!op.getBand())
    return read;
  Value before = std::exchange(first, row);
  for (int64_t k = 0; k < step / rowsAtOnce(); ++k)
    read.push_back(readWeight(rowOf(k)));
  first = before;
  return read;
}

void BandedRows::dropSigns() {
  for (Value &weight : weights)
    weight = arith::SelectOp::create(
        b,
        arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, weight, number(0)),
        number(0), weight);
}

void BandedRows::begin(Value row, ValueRange read) {
  first = row;
  weights.assign(read.begin(), read.end());
  rowSums.clear();
  Value length = sizeOf(op.getValue(), 2);
  if (tables.columns) {
    Value own = at.min(at.add(first, at.rem(lane, step)), at.sub(length, 1));
    columns = memref::LoadOp::create(b, tables.columns, own);
  }
  for (int64_t k = 0; k < step / rowsAtOnce(); ++k) {
    if (!op.getRowNormalise())
      continue;
    Type f64 = b.getF64Type();
    rowSums.push_back(
        op.getBand()
            ? emitOfLanes<arith::AddFOp>(
                  b, arith::ExtFOp::create(b, f64, weights[size_t(k)]),
                  rowLanes)
            : arith::ConstantOp::create(b, b.getF64FloatAttr(1)).getResult());
  }
}

Value BandedRows::columnOf(int64_t u) {
  return arith::IndexCastOp::create(b, b.getIndexType(), fromLane(columns, u));
}

Value BandedRows::errorAt(Value error) {
  if (!tables.order)
    return error;
  return arith::IndexCastOp::create(
      b, b.getIndexType(), memref::LoadOp::create(b, tables.order, error));
}

/// The row of error `error` where it is one of the head's, else one after all.
Value BandedRows::rowOfError(Value error) {
  Value isThere = at.compare(arith::CmpIPredicate::slt, error,
                             sizeOf(op.getErrorIndex(), 0));
  auto choice = scf::IfOp::create(b, b.getI64Type(), isThere,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, wideNumber(noRow));
  b.setInsertionPointToStart(choice.thenBlock());
  Value triples = buffers.bufferOf(op.getErrorIndex()), place = errorAt(error);
  Value isOwn = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, readPlace(b, triples, place, 0), wide(head));
  Value row = arith::SelectOp::create(b, isOwn, readPlace(b, triples, place, 1),
                                      wideNumber(noRow));
  scf::YieldOp::create(b, row);
  return choice.getResult(0);
}

SmallVector<Value> BandedRows::emitFirstError(Value row) {
  if (!op.getErrorIndex())
    return {};
  Value triples = buffers.bufferOf(op.getErrorIndex());
  // The first that is not before the row, by halves of those that are left.
  auto search = scf::WhileOp::create(
      b, TypeRange{b.getIndexType(), b.getIndexType()},
      ValueRange{at.value(0), sizeOf(op.getErrorIndex(), 0)},
      [&](OpBuilder &, Location, ValueRange range) {
        scf::ConditionOp::create(
            b, at.compare(arith::CmpIPredicate::slt, range[0], range[1]),
            range);
      },
      [&](OpBuilder &, Location, ValueRange range) {
        Value middle = at.div(at.add(range[0], range[1]), 2);
        Value place = errorAt(middle);
        auto isLess = arith::CmpIPredicate::slt;
        Value itsHead = readPlace(b, triples, place, 0);
        Value isBefore = arith::AndIOp::create(
            b,
            arith::CmpIOp::create(b, arith::CmpIPredicate::eq, itsHead,
                                  wide(head)),
            arith::CmpIOp::create(b, isLess, readPlace(b, triples, place, 1),
                                  wide(row)));
        isBefore = arith::OrIOp::create(
            b, isBefore, arith::CmpIOp::create(b, isLess, itsHead, wide(head)));
        scf::YieldOp::create(
            b,
            ValueRange{arith::SelectOp::create(b, isBefore, at.add(middle, 1),
                                               range[0]),
                       arith::SelectOp::create(b, isBefore, range[1], middle)});
      });
  return {search.getResult(0), rowOfError(search.getResult(0))};
}

SmallVector<Value>
BandedRows::emitErrors(ValueRange before, SmallVectorImpl<Value> &sums,
                       function_ref<SmallVector<Value>(Value)> readRow) {
  if (!op.getErrorIndex()) {
    makeFactors();
    return {};
  }
  Values carried(before);
  llvm::append_range(carried, sums);
  llvm::append_range(carried, rowSums);
  size_t count = sums.size(), numColumns = count / step;
  Value triples = buffers.bufferOf(op.getErrorIndex());
  Value length = wide(sizeOf(op.getValue(), 2));
  auto isOf = [&](Value row, Value own) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, row, wide(own));
  };
  auto addOne = [&](OpBuilder &, Location, ValueRange last) {
    Value place = errorAt(last[0]), row = last[1];
    Value column = readPlace(b, triples, place, 2);
    Value weight = toF32(
        b, b.getLoc(),
        memref::LoadOp::create(b, buffers.bufferOf(op.getErrorValue()), place));
    // Errors beyond the rows are left out.
    Value isThere =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, column, length);
    weight = arith::SelectOp::create(b, isThere, weight, number(0));
    column = arith::SelectOp::create(b, isThere, column, wideNumber(0));
    Values values =
        readRow(arith::IndexCastOp::create(b, b.getIndexType(), column));
    Values next = {at.add(last[0], 1), rowOfError(at.add(last[0], 1))};
    for (size_t i = 0; i < count; ++i) {
      Value isRow = isOf(row, at.add(first, int64_t(i / numColumns)));
      Value own = arith::SelectOp::create(b, isRow, weight, number(0));
      next.push_back(addWeighted(own, values[i % numColumns], last[2 + i]));
    }
    for (size_t k = 0; k < rowSums.size(); ++k) {
      Value own = arith::SelectOp::create(b, isOf(row, rowOf(int64_t(k))),
                                          weight, number(0));
      next.push_back(
          arith::AddFOp::create(b, last[2 + count + k],
                                arith::ExtFOp::create(b, b.getF64Type(), own)));
    }
    scf::YieldOp::create(b, next);
  };
  Value end = wide(at.add(first, step));
  auto loop = scf::WhileOp::create(
      b, ValueRange(carried).getTypes(), carried,
      [&](OpBuilder &, Location, ValueRange last) {
        scf::ConditionOp::create(
            b,
            arith::CmpIOp::create(b, arith::CmpIPredicate::slt, last[1], end),
            last);
      },
      addOne);
  ValueRange results = loop.getResults();
  sums.assign(results.begin() + 2, results.begin() + 2 + ptrdiff_t(count));
  llvm::copy(results.drop_front(2 + count), rowSums.begin());
  makeFactors();
  return Values(results.take_front(2));
}

/// Rows and their sums take a scale before they are divided in f32: the inverse
/// of a sum may be beyond its range where the quotient is not.
void BandedRows::makeFactors() {
  scales.clear();
  factors.clear();
  constexpr double apart = 0x1p64, far = 0x1p100;
  for (Value sum : rowSums) {
    auto compare = [&](arith::CmpFPredicate predicate, double value) -> Value {
      return arith::CmpFOp::create(
          b, predicate, sum,
          arith::ConstantOp::create(b, b.getF64FloatAttr(value)));
    };
    Value isSmall =
        arith::AndIOp::create(b, compare(arith::CmpFPredicate::OLT, 1 / far),
                              compare(arith::CmpFPredicate::OGT, -1 / far));
    Value isLarge =
        arith::OrIOp::create(b, compare(arith::CmpFPredicate::OGT, far),
                             compare(arith::CmpFPredicate::OLT, -far));
    Value scale =
        arith::SelectOp::create(b, isLarge, number(1 / apart), number(1));
    scale = arith::SelectOp::create(b, isSmall, number(apart), scale);
    Value scaled = arith::TruncFOp::create(
        b, b.getF32Type(),
        arith::MulFOp::create(b, sum,
                              arith::ExtFOp::create(b, b.getF64Type(), scale)));
    Value factor = arith::DivFOp::create(b, number(1), scaled);
    scales.push_back(scale);
    factors.push_back(arith::SelectOp::create(
        b, compare(arith::CmpFPredicate::OEQ, 0), number(0), factor));
  }
}

Value BandedRows::emitNormalised(int64_t u, Value sum) {
  if (!op.getRowNormalise())
    return sum;
  int64_t k = u / rowsAtOnce();
  Value factor = fromLane(factors[k], laneOf(u));
  Value result = arith::MulFOp::create(
      b, arith::MulFOp::create(b, sum, fromLane(scales[k], laneOf(u))), factor);
  Value isZero =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, factor, number(0));
  return arith::SelectOp::create(b, isZero, number(0), result);
}
