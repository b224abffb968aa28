// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feature maps over tensors: loops are those of the sequence, then features.

#include "passes/normalize/Features.h"

#include "passes/body/FeatureMap.h"
#include "passes/body/ScoreBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

static int64_t rankOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

FeatureEmitter::FeatureEmitter(LinearAttentionOpInterface op,
                               RewriterBase &rewriter)
    : LinalgEmitter(rewriter, op->getLoc()), op(op) {}

Value FeatureEmitter::emitQueryFeatures() {
  return emitFeatures(widened(op.getQuery()));
}

Value FeatureEmitter::emitKeyFeatures() {
  return emitFeatures(op.getShifts() ? emitShifted() : widened(op.getKey()));
}

/// mixed[b,k,j,f] = sum_r prior[k,r(,j)] features[b,k,r,j,f], with loops b, k,
/// r, j, f.
Value FeatureEmitter::emitMixedFeatures(Value features) {
  AffineExpr b = dim(0), k = dim(1), r = dim(2), j = dim(3), f = dim(4);
  SmallVector<Value> inputs = {features};
  SmallVector<AffineMap> maps = {map(5, {b, k, r, j, f})};
  if (Value prior = op.getPrior()) {
    inputs.push_back(prior);
    maps.push_back(rankOf(prior) == 3 ? map(5, {k, r, j}) : map(5, {k, r}));
  }
  SmallVector<OpFoldResult> sizes = {sizeOf(features, 0), sizeOf(features, 1),
                                     sizeOf(features, 3), sizeOf(features, 4)};
  return generic(inputs, maps, tensorOf(sizes, f32, 0.0), map(5, {b, k, j, f}),
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   Value term = args[0];
                   if (op.getPrior())
                     term = arith::MulFOp::create(b, loc, term,
                                                  toF32(b, loc, args[1]));
                   return arith::AddFOp::create(b, loc, args.back(), term);
                 });
}

/// shifted[b,k,r,j,d] = key[b,k,j,d] + shift[k,r,d]
Value FeatureEmitter::emitShifted() {
  Value key = op.getKey(), shifts = op.getShifts();
  AffineExpr b = dim(0), k = dim(1), r = dim(2), j = dim(3), d = dim(4);
  SmallVector<OpFoldResult> sizes = {sizeOf(key, 0), sizeOf(key, 1),
                                     sizeOf(shifts, 1), sizeOf(key, 2),
                                     sizeOf(key, 3)};
  return generic({key, shifts}, {map(5, {b, k, j, d}), map(5, {k, r, d})},
                 tensorOf(sizes, f32, std::nullopt), identity(5),
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   return arith::AddFOp::create(b, loc, toF32(b, loc, args[0]),
                                                toF32(b, loc, args[1]));
                 });
}

Value FeatureEmitter::emitFeatures(Value x) {
  std::optional<FeatureMapAttr> map = op.getFeatureMap();
  if (!map)
    return x;
  switch (map->getKind()) {
  case FeatureKind::Elu:
    return emitEach(x, emitElu);
  case FeatureKind::NormalizedElu:
    return emitNormalized(emitEach(x, emitElu));
  case FeatureKind::Relu:
    return emitEach(x, emitRelu);
  case FeatureKind::Dpfp:
    return emitRolled(x, map->getRolls());
  case FeatureKind::Favor:
    return emitRandom(x);
  }
  llvm_unreachable("all feature maps are emitted");
}

Value FeatureEmitter::emitEach(
    Value x, function_ref<Value(OpBuilder &, Location, Value)> each) {
  AffineMap place = identity(rankOf(x));
  return generic(x, place,
                 tensorOf(tensor::getMixedSizes(rewriter, loc, x), f32, {}),
                 place, [&](OpBuilder &b, Location loc, ValueRange args) {
                   return each(b, loc, args[0]);
                 });
}

/// features / sum_f features, and 0 where the sum is.
Value FeatureEmitter::emitNormalized(Value features) {
  unsigned rank = rankOf(features);
  AffineMap place = identity(rank), row = place.dropResult(rank - 1);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, features);
  Value sums = generic(
      features, place, tensorOf(ArrayRef(sizes).drop_back(), f64, 0.0), row,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::AddFOp::create(b, loc, args[1], toF64(b, args[0]));
      });
  return generic({features, sums}, {place, row}, tensorOf(sizes, f32, {}),
                 place,
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   Value ratio = quotient(b, loc, toF64(b, args[0]), args[1]);
                   return arith::TruncFOp::create(b, loc, f32, ratio);
                 });
}

/// Two halves of features, [..., 2 width] for the `sizes` [..., width]: of
/// loops ..., s, f, in which s is the half. `body` gets s after the elements.
Value FeatureEmitter::emitHalves(ValueRange inputs, ArrayRef<AffineMap> maps,
                                 ArrayRef<OpFoldResult> sizes, Body body) {
  unsigned rank = sizes.size();
  SmallVector<OpFoldResult> both(sizes);
  both.insert(both.end() - 1, rewriter.getIndexAttr(2));
  Value halves =
      generic(inputs, maps, tensorOf(both, f32, {}), identity(rank + 1),
              [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                SmallVector<Value> operands(args.drop_back());
                operands.push_back(linalg::IndexOp::create(b, loc, rank - 1));
                return body(b, loc, operands);
              });
  SmallVector<ReassociationIndices> groups;
  for (unsigned i = 0; i + 1 < rank; ++i)
    groups.push_back({i});
  groups.push_back({rank - 1, rank});
  return tensor::CollapseShapeOp::create(rewriter, loc, halves, groups);
}

/// -x where `half` is the second half, else x.
static Value negateSecond(OpBuilder &b, Location loc, Value half, Value x) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, half, zero);
  Value negated = arith::NegFOp::create(b, loc, x);
  return arith::SelectOp::create(b, loc, isFirst, x, negated);
}

/// With y = [relu(x), relu(-x)] of width w = 2 D:
/// rolled[..., r w + f] = y[f] y[(f - r - 1) mod w].
Value FeatureEmitter::emitRolled(Value x, int64_t rolls) {
  unsigned rank = rankOf(x), r = rank - 1;
  // Loops of the sequence, then the half or the roll, then the feature.
  AffineMap place = identity(rank + 1).dropResult(r);
  Value y = emitHalves(x, place, tensor::getMixedSizes(rewriter, loc, x),
                       [&](OpBuilder &b, Location loc, ValueRange args) {
                         return emitRelu(
                             b, loc, negateSecond(b, loc, args[1], args[0]));
                       });
  int64_t width = cast<RankedTensorType>(y.getType()).getDimSize(rank - 1);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, y);
  sizes.insert(sizes.end() - 1, rewriter.getIndexAttr(rolls));
  Value rolled = generic(
      y, place, tensorOf(sizes, f32, {}), identity(rank + 1),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        SmallVector<Value> indices;
        for (unsigned loop = 0; loop <= rank; ++loop)
          indices.push_back(linalg::IndexOp::create(b, loc, loop));
        Value feature = indices.pop_back_val(), roll = indices.pop_back_val();
        auto index = [&](int64_t value) -> Value {
          return arith::ConstantIndexOp::create(b, loc, value);
        };
        // f - r - 1 + rolls w, which is not negative.
        Value shift = arith::SubIOp::create(b, loc, feature, roll);
        shift = arith::AddIOp::create(b, loc, shift, index(rolls * width - 1));
        indices.push_back(arith::RemUIOp::create(b, loc, shift, index(width)));
        Value other = tensor::ExtractOp::create(b, loc, y, indices);
        return arith::MulFOp::create(b, loc, args[0], other);
      });
  SmallVector<ReassociationIndices> groups;
  for (unsigned i = 0; i < r; ++i)
    groups.push_back({i});
  groups.push_back({r, r + 1});
  return tensor::CollapseShapeOp::create(rewriter, loc, rolled, groups);
}

/// With p = x W: random[..., s m + f] from the exponent +-p[f] - |x|^2 / 2.
Value FeatureEmitter::emitRandom(Value x) {
  unsigned rank = rankOf(x), d = rank;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, x);
  Value norms = generic(
      x, identity(rank), tensorOf(ArrayRef(sizes).drop_back(), f64, 0.0),
      identity(rank).dropResult(rank - 1),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value element = toF64(b, args[0]);
        Value square = arith::MulFOp::create(b, loc, element, element);
        return arith::AddFOp::create(b, loc, args[1], square);
      });
  // Loops of the sequence, then column f of W, then d.
  SmallVector<AffineExpr> places;
  for (unsigned loop = 0; loop < rank; ++loop)
    places.push_back(dim(loop));
  AffineMap result = map(rank + 1, places);
  places.back() = dim(d);
  sizes.back() = sizeOf(op.getProjection(), 1);
  Value products =
      generic({x, op.getProjection()},
              {map(rank + 1, places), map(rank + 1, {dim(d), dim(rank - 1)})},
              tensorOf(sizes, f64, 0.0), result,
              [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                Value product = arith::MulFOp::create(b, loc, toF64(b, args[0]),
                                                      toF64(b, args[1]));
                return arith::AddFOp::create(b, loc, args[2], product);
              });
  AffineMap place = identity(rank + 1).dropResult(rank - 1);
  return emitHalves({products, norms}, {place, place.dropResult(rank - 1)},
                    sizes, [&](OpBuilder &b, Location loc, ValueRange args) {
                      Value half = constant(b, 0.5, f64);
                      Value product = negateSecond(b, loc, args[2], args[0]);
                      Value norm = arith::MulFOp::create(b, loc, args[1], half);
                      return emitRandomFeature(
                          b, loc, arith::SubFOp::create(b, loc, product, norm),
                          op.getNumFeatures());
                    });
}
