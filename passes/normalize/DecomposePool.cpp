// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values pooled by a band, by windows or by the identity, and a sparse error
// on top, scattered one element after the other.

#include "passes/body/ScoreBody.h"
#include "passes/normalize/LinalgEmitter.h"
#include "passes/normalize/PlainPaths.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits the stages of one pool. Loops are b, h, i, d in this order; the places
/// of a band come last, a reduction.
class PoolDecomposition : LinalgEmitter {
public:
  PoolDecomposition(StructuredPoolOp op, RewriterBase &rewriter)
      : LinalgEmitter(rewriter, op.getLoc()), op(op),
        heads(rewriter.getIndexAttr(op.getHeadsDim().size())),
        length(sizeOf(op.getValue(), 2)),
        rows(getValueOrCreateConstantIndexOp(rewriter, loc, length)) {}

  Value emit();

private:
  Value index(OpBuilder &b, int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  /// Whether `place` is a row or column, from 0 to the length - 1.
  Value isRow(OpBuilder &b, Value place) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place,
                                 rows);
  }
  /// Element (row, column) of a tensor of integers, as an index: -1 where it is
  /// negative, and the largest of 32 bits where it exceeds that. Indices of a
  /// GPU's kernels have 32 bits.
  Value readIndex(OpBuilder &b, Value tensor, Value row, int64_t column);
  /// The value head that `head` reads.
  Value valueHead(OpBuilder &b, Value head);
  /// Row i + t - w, the weight of which is `weight`, or 0 beyond the rows; the
  /// row is then some row.
  std::pair<Value, Value> emitPlace(OpBuilder &b, Value weight, Value i,
                                    Value t);

  Value emitBand();
  Value emitBandSums();
  Value emitNormalised(Value pooled, Value sums);
  Value emitColumns();
  Value emitIdentity();
  Value emitErrorRow(OpBuilder &b, ValueRange place, Value weight,
                     Value pooled);
  SmallVector<Value> emitErrors(SmallVector<Value> pooled);

  StructuredPoolOp op;
  OpFoldResult heads, length;
  Value rows;
};

} // namespace

Value PoolDecomposition::readIndex(OpBuilder &b, Value tensor, Value row,
                                   int64_t column) {
  Value element = tensor::ExtractOp::create(b, loc, tensor,
                                            ValueRange{row, index(b, column)});
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  if (element.getType() != b.getI64Type())
    element = arith::ExtSIOp::create(b, loc, b.getI64Type(), element);
  element = arith::MaxSIOp::create(b, loc, element, number(-1));
  element = arith::MinSIOp::create(b, loc, element,
                                   number(std::numeric_limits<int32_t>::max()));
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), element);
}

Value PoolDecomposition::valueHead(OpBuilder &b, Value head) {
  return arith::DivUIOp::create(b, loc, head, index(b, op.getValueGroup()));
}

std::pair<Value, Value> PoolDecomposition::emitPlace(OpBuilder &b, Value weight,
                                                     Value i, Value t) {
  Value shift = arith::SubIOp::create(b, loc, t, index(b, op.getHalfWidth()));
  Value j = arith::AddIOp::create(b, loc, i, shift);
  Value isThere = isRow(b, j);
  weight = arith::SelectOp::create(b, loc, isThere, toF32(b, loc, weight),
                                   constant(b, 0.0));
  return {arith::SelectOp::create(b, loc, isThere, j, i), weight};
}

/// pooled[b,h,i,d] = sum_t band[h,i,t] value[b,h',i+t-w,d]
Value PoolDecomposition::emitBand() {
  Value value = op.getValue();
  SmallVector<OpFoldResult> sizes = {sizeOf(value, 0), heads, length,
                                     sizeOf(value, 3)};
  return generic(
      op.getBand(), map(5, {dim(1), dim(2), dim(4)}), tensorOf(sizes, f32, 0.0),
      map(5, {dim(0), dim(1), dim(2), dim(3)}),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        auto loop = [&](unsigned position) -> Value {
          return linalg::IndexOp::create(b, loc, position);
        };
        auto [j, weight] = emitPlace(b, args[0], loop(2), loop(4));
        Value element = tensor::ExtractOp::create(
            b, loc, value,
            ValueRange{loop(0), valueHead(b, loop(1)), j, loop(3)});
        Value term = weighted(b, loc, weight, toF32(b, loc, element));
        return arith::AddFOp::create(b, loc, args[1], term);
      });
}

/// sums[h,i] = sum_t band[h,i,t], or 1 without a band; in f64, so that a sum
/// that cancels is 0.
Value PoolDecomposition::emitBandSums() {
  if (!op.getBand())
    return tensorOf({heads, length}, f64, 1.0);
  return generic(op.getBand(), map(3, {dim(0), dim(1), dim(2)}),
                 tensorOf({heads, length}, f64, 0.0), map(3, {dim(0), dim(1)}),
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   Value i = linalg::IndexOp::create(b, loc, 1);
                   Value t = linalg::IndexOp::create(b, loc, 2);
                   Value weight = emitPlace(b, args[0], i, t).second;
                   return arith::AddFOp::create(b, loc, args[1],
                                                toF64(b, weight));
                 });
}

/// pooled[b,h,i,d] / sums[h,i], and 0 where that is 0.
Value PoolDecomposition::emitNormalised(Value pooled, Value sums) {
  return generic(sums, map(4, {dim(1), dim(2)}), pooled, identity(4),
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   Value ratio = quotient(b, loc, toF64(b, args[1]), args[0]);
                   return arith::TruncFOp::create(b, loc, f32, ratio);
                 });
}

/// columns[i]: the column that row i reads, its own outside windows.
Value PoolDecomposition::emitColumns() {
  Type i64 = rewriter.getI64Type();
  Value own = generic({}, {}, tensorOf(length, i64, {}), identity(1),
                      [&](OpBuilder &b, Location loc, ValueRange) -> Value {
                        Value i = linalg::IndexOp::create(b, loc, 0);
                        return arith::IndexCastOp::create(b, loc, i64, i);
                      });
  Value windows = op.getWindows();
  Value count =
      getValueOrCreateConstantIndexOp(rewriter, loc, sizeOf(windows, 0));
  auto write = [&](OpBuilder &b, Location loc, Value window,
                   ValueRange carried) {
    Value column = readIndex(b, windows, window, 0);
    Value first = readIndex(b, windows, window, 1);
    Value size = readIndex(b, windows, window, 2);
    // Parts of windows beyond the rows are left out.
    Value isThere =
        arith::AndIOp::create(b, loc, isRow(b, column), isRow(b, first));
    Value rest = arith::SubIOp::create(b, loc, rows, first);
    Value shown = arith::MaxSIOp::create(
        b, loc, arith::MinSIOp::create(b, loc, size, rest), index(b, 0));
    shown = arith::SelectOp::create(b, loc, isThere, shown, index(b, 0));
    first = arith::SelectOp::create(b, loc, isThere, first, index(b, 0));
    OpFoldResult step = b.getIndexAttr(1);
    Value part = tensor::ExtractSliceOp::create(
        b, loc, carried[0], OpFoldResult(first), OpFoldResult(shown), step);
    Value filled =
        linalg::FillOp::create(
            b, loc, arith::IndexCastOp::create(b, loc, i64, column).getResult(),
            part)
            .getResult(0);
    Value next = tensor::InsertSliceOp::create(b, loc, filled, carried[0],
                                               OpFoldResult(first),
                                               OpFoldResult(shown), step);
    scf::YieldOp::create(b, loc, next);
  };
  return scf::ForOp::create(rewriter, loc, index(rewriter, 0), count,
                            index(rewriter, 1), own, write)
      .getResult(0);
}

/// pooled[b,h,i,d] = value[b,h',columns[i],d]
Value PoolDecomposition::emitIdentity() {
  Value value = op.getValue();
  SmallVector<OpFoldResult> sizes = {sizeOf(value, 0), heads, length,
                                     sizeOf(value, 3)};
  Value init = tensorOf(sizes, f32, std::nullopt);
  if (!op.getWindows())
    return generic(
        value,
        map(4, {dim(0), dim(1).floorDiv(op.getValueGroup()), dim(2), dim(3)}),
        init, identity(4),
        [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
          return toF32(b, loc, args[0]);
        });
  return generic(
      emitColumns(), map(4, {dim(2)}), init, identity(4),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        auto loop = [&](unsigned position) -> Value {
          return linalg::IndexOp::create(b, loc, position);
        };
        Value column =
            arith::IndexCastOp::create(b, loc, b.getIndexType(), args[0]);
        Value element = tensor::ExtractOp::create(
            b, loc, value,
            ValueRange{loop(0), valueHead(b, loop(1)), column, loop(3)});
        return toF32(b, loc, element);
      });
}

/// pooled[b,h,i,d] += weight value[b,h',j,d] for all b and d, at `place` h, i,
/// j.
Value PoolDecomposition::emitErrorRow(OpBuilder &b, ValueRange place,
                                      Value weight, Value pooled) {
  Value value = op.getValue();
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  SmallVector<OpFoldResult> sizes = {sizeOf(value, 0), one, one,
                                     sizeOf(value, 3)};
  SmallVector<OpFoldResult> strides(4, one);
  SmallVector<OpFoldResult> at = {zero, place[0], place[1], zero};
  SmallVector<OpFoldResult> from = {zero, valueHead(b, place[0]), place[2],
                                    zero};
  Value row =
      tensor::ExtractSliceOp::create(b, loc, pooled, at, sizes, strides);
  Value read =
      tensor::ExtractSliceOp::create(b, loc, value, from, sizes, strides);
  Value added =
      generic(read, identity(4), row, identity(4),
              [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                Value term = weighted(b, loc, weight, toF32(b, loc, args[0]));
                return arith::AddFOp::create(b, loc, args[1], term);
              });
  return tensor::InsertSliceOp::create(b, loc, added, pooled, at, sizes,
                                       strides);
}

/// Adds the error to `pooled`: the rows, and where rows are normalised, their
/// sums.
SmallVector<Value> PoolDecomposition::emitErrors(SmallVector<Value> pooled) {
  Value triples = op.getErrorIndex(), weights = op.getErrorValue();
  if (!triples)
    return pooled;
  Value count =
      getValueOrCreateConstantIndexOp(rewriter, loc, sizeOf(triples, 0));
  auto addOne = [&](OpBuilder &b, Location loc, Value error,
                    ValueRange carried) {
    SmallVector<Value> place;
    for (int64_t column = 0; column < 3; ++column)
      place.push_back(readIndex(b, triples, error, column));
    Value weight =
        toF32(b, loc, tensor::ExtractOp::create(b, loc, weights, error));
    // Errors whose indices are beyond the heads or rows are left out.
    Value isThere =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place[0],
                              getValueOrCreateConstantIndexOp(b, loc, heads));
    for (Value row : ArrayRef(place).drop_front())
      isThere = arith::AndIOp::create(b, loc, isThere, isRow(b, row));
    auto next = scf::IfOp::create(
        b, loc, isThere,
        [&](OpBuilder &b, Location loc) {
          SmallVector<Value> added = {
              emitErrorRow(b, place, weight, carried[0])};
          if (op.getRowNormalise()) {
            ArrayRef<Value> row = ArrayRef(place).take_front(2);
            Value last = tensor::ExtractOp::create(b, loc, carried[1], row);
            Value sum = arith::AddFOp::create(b, loc, last, toF64(b, weight));
            added.push_back(
                tensor::InsertOp::create(b, loc, sum, carried[1], row));
          }
          scf::YieldOp::create(b, loc, added);
        },
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, carried);
        });
    scf::YieldOp::create(b, loc, next.getResults());
  };
  return scf::ForOp::create(rewriter, loc, index(rewriter, 0), count,
                            index(rewriter, 1), pooled, addOne)
      .getResults();
}

Value PoolDecomposition::emit() {
  SmallVector<Value> pooled = {op.getBand() ? emitBand() : emitIdentity()};
  if (op.getRowNormalise())
    pooled.push_back(emitBandSums());
  pooled = emitErrors(pooled);
  if (op.getRowNormalise())
    pooled[0] = emitNormalised(pooled[0], pooled[1]);
  Type element = op.getValue().getType().getElementType();
  return castTo(op->getResults(), rounded(pooled[0], element)).front();
}

Value mixattn::decompose(StructuredPoolOp op, RewriterBase &rewriter) {
  return PoolDecomposition(op, rewriter).emit();
}
