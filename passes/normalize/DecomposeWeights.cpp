// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of one attention and what they pool: softmax, mixers, values.

#include "passes/body/ScoreBody.h"
#include "passes/normalize/Decomposition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

/// One value per row (b, h, i) of `tensor`.
Value Decomposition::emitRowReduction(Value tensor, double init, Body combine) {
  return generic(tensor, rewriter.getMultiDimIdentityMap(4),
                 tensorOf({batch, heads, queries}, f32, init),
                 map(4, {dim(0), dim(1), dim(2)}), combine);
}

/// lse[b,h,i] = row maximum + log(row sum); -inf where nothing is seen.
Value Decomposition::emitLse(Value rowMax, Value rowSum) {
  AffineMap identity = rewriter.getMultiDimIdentityMap(3);
  return generic({rowMax, rowSum}, {identity, identity},
                 tensorOf({batch, heads, queries}, f32, std::nullopt), identity,
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   Value log = math::LogOp::create(b, loc, args[1]);
                   return arith::AddFOp::create(b, loc, args[0], log);
                 });
}

/// weights = exp(scores - row maximum) / row sum, and 0 in rows of which
/// nothing is seen: their maximum stays the finite one at which it starts.
Value Decomposition::emitWeights(Value scores) {
  Value rowMax = emitRowReduction(scores, lowest(), larger);
  AffineMap identity = rewriter.getMultiDimIdentityMap(4);
  AffineMap row = map(4, {dim(0), dim(1), dim(2)});
  SmallVector<OpFoldResult> sizes = {batch, heads, queries, keys};
  Value exps =
      generic({scores, rowMax}, {identity, row},
              tensorOf(sizes, f32, std::nullopt), identity, exponential);
  Value rowSum = emitRowReduction(exps, 0.0, sum);
  if (op.getLse())
    lse = emitLse(rowMax, rowSum);
  return generic(
      {exps, rowSum}, {identity, row}, tensorOf(sizes, f32, std::nullopt),
      identity, [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value zero = constant(b, 0.0);
        Value isEmpty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                              args[1], zero);
        Value weight = arith::DivFOp::create(b, loc, args[0], args[1]);
        return arith::SelectOp::create(b, loc, isEmpty, zero, weight);
      });
}

/// mixer[b,i,c,a] = bias[c,a] + sum_d source[b,c,i,d] weight[d,a], with loops
/// b, i, c, a, d.
Value Decomposition::emitRowMixer() {
  Value bias =
      generic(op.getMixBias(), map(4, {dim(2), dim(3)}),
              tensorOf({batch, queries, heads, heads}, f32, std::nullopt),
              rewriter.getMultiDimIdentityMap(4),
              [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                return toF32(b, loc, args[0]);
              });
  return generic(
      {op.getMixSource(), op.getMixWeight()},
      {map(5, {dim(0), dim(2), dim(1), dim(4)}), map(5, {dim(4), dim(3)})},
      bias, map(5, {dim(0), dim(1), dim(2), dim(3)}),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value product = arith::MulFOp::create(b, loc, toF32(b, loc, args[0]),
                                              toF32(b, loc, args[1]));
        return arith::AddFOp::create(b, loc, args[2], product);
      });
}

/// mixed[b,a,i,j] = sum_c mixer[c,a] weights[b,c,i,j], with loops b, a, i, j,
/// c.
Value Decomposition::emitPostmix(Value weights) {
  Value mixer = op.getMixer();
  AffineMap mixerMap = map(5, {dim(4), dim(1)});
  if (op.getMixSource()) {
    mixer = emitRowMixer();
    mixerMap = map(5, {dim(0), dim(2), dim(4), dim(1)});
  }
  return emitMixture(weights, mixer, mixerMap, {}, op.getNumHeads(), product);
}

/// pooled[b,h,i,e] = sum_j weights[b,h,i,j] value[b,h',j,e], with loops b, h,
/// i, j, e. A weight of zero contributes nothing: the value rows that no query
/// sees may hold anything.
Value Decomposition::emitPool(Value weights) {
  AffineMap value =
      map(5, {dim(0), dim(1).floorDiv(op.getValueGroup()), dim(3), dim(4)});
  AffineMap output = map(5, {dim(0), dim(1), dim(2), dim(4)});
  SmallVector<OpFoldResult> sizes = {batch, heads, queries,
                                     sizeOf(op.getValue(), 3)};
  Value pooled = generic(
      {weights, op.getValue()},
      {map(5, {dim(0), dim(1), dim(2), dim(3)}), value},
      tensorOf(sizes, f32, 0.0), output,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value zero = constant(b, 0.0);
        Value isZero = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                             args[0], zero);
        Value product =
            arith::MulFOp::create(b, loc, args[0], toF32(b, loc, args[1]));
        Value term = arith::SelectOp::create(b, loc, isZero, zero, product);
        return arith::AddFOp::create(b, loc, args[2], term);
      });

  Type element = op.getValueType().getElementType();
  if (element.isF32())
    return pooled;
  AffineMap identity = rewriter.getMultiDimIdentityMap(4);
  return generic(pooled, identity, tensorOf(sizes, element, std::nullopt),
                 identity,
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   return fromF32(b, loc, args[0], element);
                 });
}
