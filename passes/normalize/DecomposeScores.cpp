// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores of one attention: products, components, mixers, masks.

#include "passes/body/FeatureMap.h"
#include "passes/body/Philox.h"
#include "passes/body/ScoreBody.h"
#include "passes/normalize/Decomposition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace mixattn;

/// Maps (b, h, i, j) to the indices of an operand that broadcasts from the
/// right: dims that are missing or of static size 1 repeat.
AffineMap ScoreDecomposition::broadcastMap(RankedTensorType type) {
  SmallVector<AffineExpr> results;
  for (int64_t i = 0; i < type.getRank(); ++i)
    results.push_back(type.getDimSize(i) == 1
                          ? rewriter.getAffineConstantExpr(0)
                          : dim(4 - type.getRank() + i));
  return map(4, results);
}

Value ScoreDecomposition::emitAlignment() {
  Value n = getValueOrCreateConstantIndexOp(rewriter, loc, queries);
  Value s = getValueOrCreateConstantIndexOp(rewriter, loc, keys);
  return arith::SubIOp::create(rewriter, loc, s, n);
}

ScorePlace ScoreDecomposition::placeOf(OpBuilder &b, unsigned i, unsigned j,
                                       Value alignment) {
  auto loop = [&](unsigned position) -> Value {
    return linalg::IndexOp::create(b, loc, position);
  };
  Value batchRow = loop(0);
  if (Value start = scored.getStart()) {
    Value count = tensor::ExtractOp::create(b, loc, start, batchRow);
    alignment = arith::IndexCastOp::create(b, loc, b.getIndexType(), count);
  }
  return {batchRow, loop(1), loop(i), loop(j), alignment};
}

/// products[b,h,(r),i,j] = sum_d query[b,h,i,d] key[b,h',(r),j,d], or the sum
/// of squared differences for a Gaussian; with a component's loop r where the
/// keys have components.
Value Decomposition::emitProducts() {
  bool perComponent = keysHaveComponents();
  unsigned loops = perComponent ? 6 : 5, i = loops - 3, j = loops - 2;
  AffineExpr b = dim(0), h = dim(1), r = dim(2), d = dim(loops - 1);
  AffineExpr keyHead = h.floorDiv(scored.getKeyGroup());

  Value key = scored.getKey();
  SmallVector<Value> inputs = {scored.getQuery(), key};
  SmallVector<AffineMap> maps = {map(loops, {b, h, dim(i), d})};
  if (scored.getKeyType().getRank() == 5)
    maps.push_back(map(loops, {b, keyHead, r, dim(j), d}));
  else
    maps.push_back(map(loops, {b, keyHead, dim(j), d}));
  if (scored.getShifts()) {
    inputs.push_back(scored.getShifts());
    maps.push_back(map(loops, {keyHead, r, d}));
  }
  SmallVector<OpFoldResult> sizes = {batch, queryHeads, queries, keys};
  SmallVector<AffineExpr> place = {b, h, dim(i), dim(j)};
  if (perComponent) {
    sizes.insert(sizes.begin() + 2, components);
    place.insert(place.begin() + 2, r);
  }
  return generic(
      inputs, maps, tensorOf(sizes, f32, 0.0), map(loops, place),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value query = toF32(b, loc, args[0]), key = toF32(b, loc, args[1]);
        if (scored.getShifts())
          key = arith::AddFOp::create(b, loc, key, toF32(b, loc, args[2]));
        if (scored.getGaussian())
          query = key = arith::SubFOp::create(b, loc, query, key);
        Value product = arith::MulFOp::create(b, loc, query, key);
        // In any order: by vectors, and so in sums that are short each.
        return arith::AddFOp::create(b, loc, args.back(), product,
                                     arith::FastMathFlags::reassoc);
      });
}

/// raw = products * factor_r + query_term + key_term + prior, per component
/// where there are components.
Value Decomposition::emitRawScores(Value products) {
  if (!scored.getVariances() && !scored.getGaussian() &&
      !scored.getQueryTerm() && !scored.getKeyTerm() && !scored.getPrior())
    return products;
  bool perComponent = scored.hasComponents();
  unsigned loops = perComponent ? 5 : 4;
  AffineExpr b = dim(0), h = dim(1), i = dim(loops - 2), j = dim(loops - 1);
  // Places of an operand with a component or without: (first..., [r], last...)
  auto placed = [&](SmallVector<AffineExpr> first, SmallVector<AffineExpr> last,
                    bool withComponent) {
    if (withComponent)
      first.push_back(dim(2));
    first.append(last);
    return map(loops, first);
  };
  auto rank = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getRank();
  };

  SmallVector<float> factors;
  for (int64_t r = 0; r < scored.getNumComponents(); ++r)
    factors.push_back(scored.getGaussian()    ? -0.5 / scored.getVariance(r)
                      : scored.getVariances() ? 1.0 / scored.getVariance(r)
                                              : 1.0);
  auto factorType =
      RankedTensorType::get({static_cast<int64_t>(factors.size())}, f32);
  Value factor = arith::ConstantOp::create(
      rewriter, loc,
      DenseElementsAttr::get(factorType, ArrayRef<float>(factors)));

  SmallVector<Value> inputs = {products, factor};
  SmallVector<AffineMap> maps = {
      placed({b, h}, {i, j}, keysHaveComponents()),
      map(loops, {perComponent ? dim(2) : rewriter.getAffineConstantExpr(0)})};
  auto add = [&](Value term, AffineMap termMap) {
    inputs.push_back(term);
    maps.push_back(termMap);
  };
  AffineExpr keyHead = h.floorDiv(scored.getKeyGroup());
  if (Value term = scored.getQueryTerm())
    add(term, placed({b, h}, {i}, rank(term) == 4));
  if (Value term = scored.getKeyTerm())
    add(term, placed({b, keyHead}, {j}, rank(term) == 4));
  if (Value prior = scored.getPrior()) {
    SmallVector<AffineExpr> positions;
    if (rank(prior) == 3)
      positions.push_back(j);
    add(prior, placed({h}, positions, true));
  }
  SmallVector<OpFoldResult> sizes = {batch, queryHeads, queries, keys};
  if (perComponent)
    sizes.insert(sizes.begin() + 2, components);
  return generic(
      inputs, maps, tensorOf(sizes, f32, std::nullopt), identity(loops),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value raw = arith::MulFOp::create(b, loc, args[0], args[1]);
        for (Value term : args.drop_front(2).drop_back())
          raw = arith::AddFOp::create(b, loc, raw, toF32(b, loc, term));
        return raw;
      });
}

/// exp(exponent - largest), or a power of 2.
Value Decomposition::emitPower(OpBuilder &b, Value exponent, Value largest) {
  Value shifted = arith::SubFOp::create(b, loc, exponent, largest);
  if (op.getBase2())
    return math::Exp2Op::create(b, loc, shifted);
  return math::ExpOp::create(b, loc, shifted);
}

/// The inverse of emitPower.
Value Decomposition::emitLogarithm(OpBuilder &b, Value value) {
  if (op.getBase2())
    return math::Log2Op::create(b, loc, value);
  return math::LogOp::create(b, loc, value);
}

/// combined[b,h,i,j] = logsumexp_r raw[b,h,r,i,j], or their maximum. The
/// largest component of logsumexp starts at a finite number, so that
/// components that are all switched off give -inf.
Value Decomposition::emitCombined(Value raw) {
  if (!op.hasComponents())
    return raw;
  SmallVector<OpFoldResult> sizes = {batch, queryHeads, queries, keys};
  AffineMap each = identity(5);
  AffineMap place = map(5, {dim(0), dim(1), dim(3), dim(4)});
  if (op.getMaximum())
    return generic(
        raw, each,
        tensorOf(sizes, f32, -std::numeric_limits<double>::infinity()), place,
        [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
          return arith::MaximumFOp::create(b, loc, args[0], args[1]);
        });
  Value largest =
      generic(raw, each, tensorOf(sizes, f32, lowest()), place, larger);
  Value sums =
      generic({raw, largest}, {each, place}, tensorOf(sizes, f32, 0.0), place,
              [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                Value term = emitPower(b, args[0], args[1]);
                return arith::AddFOp::create(b, loc, args[2], term);
              });
  return generic({largest, sums}, {identity(4), identity(4)},
                 tensorOf(sizes, f32, std::nullopt), identity(4),
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   return arith::AddFOp::create(b, loc, args[0],
                                                emitLogarithm(b, args[1]));
                 });
}

/// One standard normal from Philox, or the element of noise that is there:
/// what `operands` of a body with loops b, a, i, j, k hold.
Value Decomposition::emitNoise(OpBuilder &b, ValueRange operands) {
  if (op.getNoise())
    return toF32(b, loc, operands[0]);
  bool isLocal = op.getNoiseKind() == NoiseKind::Local;
  auto loop = [&](unsigned position) -> Value {
    return linalg::IndexOp::create(b, loc, position);
  };
  int64_t heads = isLocal ? op.getNumHeads() : op.getNumQueryHeads();
  return emitNormal(b, loc,
                    {loop(0), loop(isLocal ? 1 : 4), loop(2), loop(3),
                     arith::ConstantIndexOp::create(b, loc, heads), operands[0],
                     operands[1]});
}

/// mixed[b,a,i,j] = offset[a] + sum_k term(mixer[…], scores[b,k,i,j]), with
/// loops b, a, i, j, k, `mixerMap` from them to the mixer's places, and
/// `outputs` output heads. Where it `isNoisy`, scores get their noise.
Value Decomposition::emitMixture(Value scores, Value mixer, AffineMap mixerMap,
                                 Value offset, int64_t outputs, Body term,
                                 bool isNoisy) {
  SmallVector<OpFoldResult> sizes = {batch, rewriter.getIndexAttr(outputs),
                                     queries, keys};
  Value init = tensorOf(sizes, f32, offset ? std::nullopt : std::optional(0.0));
  if (offset)
    init = generic(offset, map(4, {dim(1)}), init, identity(4),
                   [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                     return toF32(b, loc, args[0]);
                   });
  SmallVector<Value> inputs = {mixer, scores};
  SmallVector<AffineMap> maps = {mixerMap,
                                 map(5, {dim(0), dim(4), dim(2), dim(3)})};
  auto add = [&](Value operand, AffineMap operandMap) {
    inputs.push_back(operand);
    maps.push_back(operandMap);
  };
  if (isNoisy) {
    bool isLocal = op.getNoiseKind() == NoiseKind::Local;
    add(op.getSigma(), map(5, {dim(4)}));
    if (Value noise = op.getNoise())
      add(noise, map(5, {dim(0), dim(isLocal ? 1 : 4), dim(2), dim(3)}));
    for (Value number : {op.getSeed(), op.getOffset()})
      if (number)
        add(number, map(5, {}));
  }
  return generic(inputs, maps, init, map(5, {dim(0), dim(1), dim(2), dim(3)}),
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   Value score = args[1];
                   if (isNoisy) {
                     Value noise = arith::MulFOp::create(
                         b, loc, toF32(b, loc, args[2]),
                         emitNoise(b, args.drop_front(3).drop_back()));
                     score = arith::AddFOp::create(b, loc, score, noise);
                   }
                   Value value = term(b, loc, {toF32(b, loc, args[0]), score});
                   return arith::AddFOp::create(b, loc, args.back(), value);
                 });
}

/// Mixes scores over heads, and scales them before where the op says so.
Value Decomposition::emitPremix(Value scores) {
  if (op.getScaleBefore())
    scores =
        generic(scores, identity(4),
                tensorOf({batch, queryHeads, queries, keys}, f32, std::nullopt),
                identity(4), [&](OpBuilder &b, Location, ValueRange args) {
                  return emitScale(b, op, args[0]);
                });
  AffineMap fromHeadToHead = map(5, {dim(4), dim(1)});
  bool isNoisy = op.getNoiseKind().has_value();
  if (Value mixer = op.getPremixer()) {
    bool isShared = cast<RankedTensorType>(mixer.getType()).getRank() == 1;
    return emitMixture(
        scores, mixer, isShared ? map(5, {dim(4)}) : fromHeadToHead, {},
        op.getNumHeads(),
        [&](OpBuilder &b, Location loc, ValueRange args) {
          Value term = product(b, loc, args);
          return op.getReluPerKey() ? emitRelu(b, loc, term) : term;
        },
        isNoisy);
  }
  if (!op.getW1())
    return scores;
  int64_t hidden = cast<RankedTensorType>(op.getW1().getType()).getDimSize(1);
  Value layer = emitMixture(scores, op.getW1(), fromHeadToHead, op.getB1(),
                            hidden, product, isNoisy);
  return emitMixture(layer, op.getW2(), fromHeadToHead, op.getB2(),
                     op.getNumHeads(),
                     [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                       return arith::MulFOp::create(b, loc, args[0],
                                                    emitRelu(b, loc, args[1]));
                     });
}

/// scores = visible ? modify(combined) : -inf, as the exponents of weights.
Value Decomposition::emitScores(Value combined) {
  SmallVector<Value> inputs = {combined};
  SmallVector<AffineMap> maps = {identity(4)};
  auto add = [&](Value operand, AffineMap operandMap) {
    inputs.push_back(operand);
    maps.push_back(operandMap);
  };
  for (Value operand : {op.getBias(), op.getMask()})
    if (operand)
      add(operand, broadcastMap(cast<RankedTensorType>(operand.getType())));
  if (Value lengths = op.getLengths())
    add(lengths, map(4, {dim(0)}));

  Value alignment = emitAlignment();
  Value init = tensorOf({batch, heads, queries, keys}, f32, std::nullopt);
  return generic(
      inputs, maps, init, identity(4),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        unsigned next = 1;
        auto take = [&](Value operand) {
          return operand ? Value(args[next++]) : Value();
        };
        Value bias = take(op.getBias());
        Value mask = take(op.getMask());
        Value length = take(op.getLengths());
        ScorePlace place = placeOf(b, 2, 3, alignment);
        Value score = emitExponent(b, op, args[0], bias, place);
        Value visible = emitIsVisible(b, op, mask, length, place);
        if (!visible)
          return score;
        Value hidden = constant(b, -std::numeric_limits<double>::infinity());
        return arith::SelectOp::create(b, loc, visible, score, hidden);
      });
}
