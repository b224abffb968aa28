// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of one attention and what they pool: softmax, mixers, values.

#include "passes/body/ScoreBody.h"
#include "passes/normalize/Decomposition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

/// rowMax[b,h,i] = max_j scores[b,h,i,j]
Value Decomposition::emitRowMax(Value scores) {
  return generic(scores, identity(4),
                 tensorOf({batch, heads, queries}, f32, lowest()),
                 map(4, {dim(0), dim(1), dim(2)}), larger);
}

/// rowSum[b,h,i] = sum_j exps[b,h,i,j], in f64: in f32 many equal terms would
/// all round the same way when added to a large one.
Value Decomposition::emitRowSum(Value exps) {
  return generic(exps, identity(4), tensorOf({batch, heads, queries}, f64, 0.0),
                 map(4, {dim(0), dim(1), dim(2)}),
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   return arith::AddFOp::create(b, loc, args[1],
                                                toF64(b, args[0]));
                 });
}

/// lse[b,h,i] = row maximum + log(row sum), the natural logarithm; -inf where
/// nothing is seen.
Value Decomposition::emitLse(Value rowMax, Value rowSum) {
  return generic(
      {rowMax, rowSum}, {identity(3), identity(3)},
      tensorOf({batch, heads, queries}, f32, std::nullopt), identity(3),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value sum = arith::TruncFOp::create(b, loc, f32, args[1]);
        Value log =
            arith::AddFOp::create(b, loc, args[0], emitLogarithm(b, sum));
        if (!op.getBase2())
          return log;
        return arith::MulFOp::create(b, loc, log,
                                     constant(b, llvm::numbers::ln2));
      });
}

/// weights = exp(scores - row maximum) / row sum, and 0 in rows of which
/// nothing is seen: their maximum stays the finite one at which it starts.
/// Weights outside the band to keep are dropped.
Value Decomposition::emitWeights(Value scores) {
  Value rowMax = emitRowMax(scores);
  AffineMap row = map(4, {dim(0), dim(1), dim(2)});
  SmallVector<OpFoldResult> sizes = {batch, heads, queries, keys};
  Value exps = generic({scores, rowMax}, {identity(4), row},
                       tensorOf(sizes, f32, std::nullopt), identity(4),
                       [&](OpBuilder &b, Location, ValueRange args) {
                         return emitPower(b, args[0], args[1]);
                       });
  Value rowSum = emitRowSum(exps);
  if (op.getLse())
    lse = emitLse(rowMax, rowSum);
  Value alignment = op.getKeep() ? emitAlignment() : Value();
  return generic(
      {exps, rowSum}, {identity(4), row}, tensorOf(sizes, f32, std::nullopt),
      identity(4), [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value rowSum = arith::TruncFOp::create(b, loc, f32, args[1]);
        Value weight = quotient(b, loc, args[0], rowSum);
        if (!op.getKeep())
          return weight;
        Value kept =
            emitInBand(b, loc, *op.getKeep(), placeOf(b, 2, 3, alignment));
        return arith::SelectOp::create(b, loc, kept, weight, constant(b, 0.0));
      });
}

/// mixed[b,a,i,j] = sum_c mixer[c,a] weights[b,c,i,j], with loops b, a, i, j,
/// c.
Value Decomposition::emitPostmix(Value weights) {
  Value mixer = op.getMixer();
  AffineMap mixerMap = map(5, {dim(4), dim(1)});
  if (op.getMixSource()) {
    mixer = rowMixer(op.getMixSource(), op.getMixWeight(), op.getMixBias());
    mixerMap = map(5, {dim(0), dim(2), dim(4), dim(1)});
  }
  return emitMixture(weights, mixer, mixerMap, {}, op.getNumHeads(), product);
}

/// pooled[b,h,i,e] = sum_j weights[b,h,i,j] value[b,h',j,e], with loops b, h,
/// i, j, e. A weight of zero contributes nothing: the value rows that no query
/// sees may hold anything. Sums are f64: in f32 many equal terms drift.
Value Decomposition::emitPool(Value weights) {
  Value values = op.getValue();
  AffineMap value =
      map(5, {dim(0), dim(1).floorDiv(op.getValueGroup()), dim(3), dim(4)});
  AffineMap output = map(5, {dim(0), dim(1), dim(2), dim(4)});
  SmallVector<OpFoldResult> sizes = {batch, heads, queries, sizeOf(values, 3)};
  Value pooled = generic(
      {weights, values}, {map(5, {dim(0), dim(1), dim(2), dim(3)}), value},
      tensorOf(sizes, f64, 0.0), output,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value term = toF64(b, weighted(b, loc, args[0], args[1]));
        return arith::AddFOp::create(b, loc, args[2], term);
      });
  return rounded(pooled, getElementTypeOrSelf(op.getResult()));
}
