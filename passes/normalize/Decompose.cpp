// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-decompose: lowers any attention op to linalg, stage by stage, unfused.

#include "dialect/attn/AttnOps.h"
#include "passes/Passes.h"
#include "passes/body/ScoreBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mixattn {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits the stages of one attention. Loops of every stage are named by their
/// position: b, h, i, j, and for reductions a fifth one.
class Decomposition {
public:
  Decomposition(AttentionOpInterface op, RewriterBase &rewriter);

  /// The attention's results.
  SmallVector<Value> emit();

private:
  using Body = function_ref<Value(OpBuilder &, Location, ValueRange)>;

  bool keysHaveComponents() {
    return op.getKeyType().getRank() == 5 || op.getShifts();
  }
  Value emitProducts();
  Value emitRawScores(Value products);
  Value emitCombined(Value raw);
  Value emitMixture(Value scores, Value mixer, Value offset, int64_t heads,
                    Body term);
  Value emitPremix(Value scores);
  Value emitScores(Value combined);
  Value emitRowReduction(Value tensor, double init, Body combine);
  Value emitLse(Value rowMax, Value rowSum);
  Value emitWeights(Value scores);
  Value emitRowMixer();
  Value emitPostmix(Value weights);
  Value emitPool(Value weights);

  /// A linalg.generic over tensors of `f32` with init `init`, whose loops that
  /// the output's map lacks are reductions.
  Value generic(ValueRange inputs, ArrayRef<AffineMap> inputMaps, Value init,
                AffineMap outputMap, Body body);

  /// A tensor of `element` with `sizes`, filled with `value` if given.
  Value tensorOf(ArrayRef<OpFoldResult> sizes, Type element,
                 std::optional<double> value);

  AffineExpr dim(unsigned position) {
    return rewriter.getAffineDimExpr(position);
  }
  AffineMap map(unsigned loops, ArrayRef<AffineExpr> results) {
    return AffineMap::get(loops, 0, results, rewriter.getContext());
  }
  AffineMap broadcastMap(RankedTensorType type);
  Value constant(OpBuilder &builder, double value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(value));
  }
  OpFoldResult sizeOf(Value tensor, int64_t dim) {
    return tensor::getMixedSize(rewriter, loc, tensor, dim);
  }

  /// The larger of two f32, the second where either is NaN.
  static Value larger(OpBuilder &b, Location loc, ValueRange args) {
    Value greater = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                          args[0], args[1]);
    return arith::SelectOp::create(b, loc, greater, args[0], args[1]);
  }
  static Value sum(OpBuilder &b, Location loc, ValueRange args) {
    return arith::AddFOp::create(b, loc, args[1], args[0]);
  }
  static Value exponential(OpBuilder &b, Location loc, ValueRange args) {
    Value shifted = arith::SubFOp::create(b, loc, args[0], args[1]);
    return math::ExpOp::create(b, loc, shifted);
  }

  AttentionOpInterface op;
  RewriterBase &rewriter;
  Location loc;
  Type f32;
  OpFoldResult batch, queryHeads, heads, components, queries, keys;
  /// Set by emitWeights where the attention returns it.
  Value lse;
};

} // namespace

Decomposition::Decomposition(AttentionOpInterface op, RewriterBase &rewriter)
    : op(op), rewriter(rewriter), loc(op->getLoc()), f32(rewriter.getF32Type()),
      batch(sizeOf(op.getQuery(), 0)), queryHeads(sizeOf(op.getQuery(), 1)),
      heads(rewriter.getIndexAttr(op.getNumHeads())),
      components(rewriter.getIndexAttr(op.getNumComponents())),
      queries(sizeOf(op.getQuery(), 2)),
      keys(sizeOf(op.getKey(), op.getKeyLengthDim())) {}

Value Decomposition::generic(ValueRange inputs, ArrayRef<AffineMap> inputMaps,
                             Value init, AffineMap outputMap, Body body) {
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(outputMap);
  SmallVector<utils::IteratorType> loops(outputMap.getNumDims(),
                                         utils::IteratorType::reduction);
  for (AffineExpr result : outputMap.getResults())
    loops[cast<AffineDimExpr>(result).getPosition()] =
        utils::IteratorType::parallel;
  auto generic = linalg::GenericOp::create(
      rewriter, loc, init.getType(), inputs, init, maps, loops,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(builder, loc, body(builder, loc, arguments));
      });
  return generic.getResult(0);
}

Value Decomposition::tensorOf(ArrayRef<OpFoldResult> sizes, Type element,
                              std::optional<double> value) {
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, element);
  if (!value)
    return empty;
  return linalg::FillOp::create(rewriter, loc, constant(rewriter, *value),
                                empty)
      .getResult(0);
}

/// Maps (b, h, i, j) to the indices of an operand that broadcasts from the
/// right: dims that are missing or of static size 1 repeat.
AffineMap Decomposition::broadcastMap(RankedTensorType type) {
  SmallVector<AffineExpr> results;
  for (int64_t i = 0; i < type.getRank(); ++i)
    results.push_back(type.getDimSize(i) == 1
                          ? rewriter.getAffineConstantExpr(0)
                          : dim(4 - type.getRank() + i));
  return map(4, results);
}

/// products[b,h,(r),i,j] = sum_d query[b,h,i,d] key[b,h',(r),j,d], or the sum
/// of squared differences for a Gaussian; with a component's loop r where the
/// keys have components.
Value Decomposition::emitProducts() {
  bool perComponent = keysHaveComponents();
  unsigned loops = perComponent ? 6 : 5, i = loops - 3, j = loops - 2;
  AffineExpr b = dim(0), h = dim(1), r = dim(2), d = dim(loops - 1);
  AffineExpr keyHead = h.floorDiv(op.getKeyGroup());

  SmallVector<Value> inputs = {op.getQuery(), op.getKey()};
  SmallVector<AffineMap> maps = {map(loops, {b, h, dim(i), d})};
  if (op.getKeyType().getRank() == 5)
    maps.push_back(map(loops, {b, keyHead, r, dim(j), d}));
  else
    maps.push_back(map(loops, {b, keyHead, dim(j), d}));
  if (op.getShifts()) {
    inputs.push_back(op.getShifts());
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
        if (op.getShifts())
          key = arith::AddFOp::create(b, loc, key, toF32(b, loc, args[2]));
        if (op.getGaussian())
          query = key = arith::SubFOp::create(b, loc, query, key);
        Value product = arith::MulFOp::create(b, loc, query, key);
        return arith::AddFOp::create(b, loc, args.back(), product);
      });
}

/// raw = products * factor_r + query_term + key_term + prior, per component
/// where there are components.
Value Decomposition::emitRawScores(Value products) {
  if (!op.getVariances() && !op.getGaussian() && !op.getQueryTerm() &&
      !op.getKeyTerm() && !op.getPrior())
    return products;
  bool perComponent = op.hasComponents();
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
  for (int64_t r = 0; r < op.getNumComponents(); ++r)
    factors.push_back(op.getGaussian()    ? -0.5 / op.getVariance(r)
                      : op.getVariances() ? 1.0 / op.getVariance(r)
                                          : 1.0);
  auto factorType = RankedTensorType::get(
      {static_cast<int64_t>(factors.size())}, f32);
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
  AffineExpr keyHead = h.floorDiv(op.getKeyGroup());
  if (Value term = op.getQueryTerm())
    add(term, placed({b, h}, {i}, rank(term) == 4));
  if (Value term = op.getKeyTerm())
    add(term, placed({b, keyHead}, {j}, rank(term) == 4));
  if (Value prior = op.getPrior()) {
    SmallVector<AffineExpr> positions;
    if (rank(prior) == 3)
      positions.push_back(j);
    add(prior, placed({h}, positions, true));
  }
  SmallVector<OpFoldResult> sizes = {batch, queryHeads, queries, keys};
  if (perComponent)
    sizes.insert(sizes.begin() + 2, components);
  return generic(inputs, maps, tensorOf(sizes, f32, std::nullopt),
                 rewriter.getMultiDimIdentityMap(loops),
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   Value raw =
                       arith::MulFOp::create(b, loc, args[0], args[1]);
                   for (Value term : args.drop_front(2).drop_back())
                     raw = arith::AddFOp::create(b, loc, raw,
                                                 toF32(b, loc, term));
                   return raw;
                 });
}

/// combined[b,h,i,j] = logsumexp_r raw[b,h,r,i,j], or their maximum. The
/// largest component of logsumexp starts at the finite -2^127, so that
/// components that are all switched off give -inf.
Value Decomposition::emitCombined(Value raw) {
  if (!op.hasComponents())
    return raw;
  SmallVector<OpFoldResult> sizes = {batch, queryHeads, queries, keys};
  AffineMap each = rewriter.getMultiDimIdentityMap(5);
  AffineMap place = map(5, {dim(0), dim(1), dim(3), dim(4)});
  if (op.getMaximum())
    return generic(raw, each,
                   tensorOf(sizes, f32, -std::numeric_limits<double>::infinity()),
                   place,
                   [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                     return arith::MaximumFOp::create(b, loc, args[0], args[1]);
                   });
  Value largest = generic(raw, each,
                          tensorOf(sizes, f32, -std::ldexp(1.0, 127)), place,
                          larger);
  Value sums = generic(
      {raw, largest}, {each, place}, tensorOf(sizes, f32, 0.0), place,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value term = exponential(b, loc, args.take_front(2));
        return arith::AddFOp::create(b, loc, args[2], term);
      });
  AffineMap identity = rewriter.getMultiDimIdentityMap(4);
  return generic({largest, sums}, {identity, identity},
                 tensorOf(sizes, f32, std::nullopt), identity,
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   Value log = math::LogOp::create(b, loc, args[1]);
                   return arith::AddFOp::create(b, loc, args[0], log);
                 });
}

/// mixed[b,a,i,j] = offset[a] + sum_k term(mixer[k,a], scores[b,k,i,j]), with
/// loops b, a, i, j, k and `outputs` output heads.
Value Decomposition::emitMixture(Value scores, Value mixer, Value offset,
                                 int64_t outputs, Body term) {
  SmallVector<OpFoldResult> sizes = {batch, rewriter.getIndexAttr(outputs),
                                     queries, keys};
  Value init = tensorOf(sizes, f32, offset ? std::nullopt : std::optional(0.0));
  if (offset)
    init = generic(offset, map(4, {dim(1)}), init,
                   rewriter.getMultiDimIdentityMap(4),
                   [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                     return toF32(b, loc, args[0]);
                   });
  return generic({mixer, scores},
                 {map(5, {dim(4), dim(1)}),
                  map(5, {dim(0), dim(4), dim(2), dim(3)})},
                 init, map(5, {dim(0), dim(1), dim(2), dim(3)}),
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   Value value = term(
                       b, loc, {toF32(b, loc, args[0]), args[1]});
                   return arith::AddFOp::create(b, loc, args[2], value);
                 });
}

/// Mixes scores over heads, and scales them before where the op says so.
Value Decomposition::emitPremix(Value scores) {
  AffineMap identity = rewriter.getMultiDimIdentityMap(4);
  if (op.getScaleBefore())
    scores = generic(scores, identity,
                     tensorOf({batch, queryHeads, queries, keys}, f32,
                              std::nullopt),
                     identity,
                     [&](OpBuilder &b, Location loc, ValueRange args) {
                       return emitScale(b, op, args[0]);
                     });
  auto product = [](OpBuilder &b, Location loc, ValueRange args) -> Value {
    return arith::MulFOp::create(b, loc, args[0], args[1]);
  };
  auto relu = [&](OpBuilder &b, Location loc, Value value) -> Value {
    return arith::MaximumFOp::create(b, loc, value, constant(b, 0.0));
  };
  if (Value mixer = op.getPremixer())
    return emitMixture(scores, mixer, {}, op.getNumHeads(),
                       [&](OpBuilder &b, Location loc, ValueRange args) {
                         Value term = product(b, loc, args);
                         return op.getReluPerKey() ? relu(b, loc, term) : term;
                       });
  if (!op.getW1())
    return scores;
  int64_t hidden =
      cast<RankedTensorType>(op.getB1().getType()).getDimSize(0);
  Value layer = emitMixture(scores, op.getW1(), op.getB1(), hidden, product);
  return emitMixture(layer, op.getW2(), op.getB2(), op.getNumHeads(),
                     [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                       return arith::MulFOp::create(b, loc, args[0],
                                                    relu(b, loc, args[1]));
                     });
}

/// scores = visible ? modify(combined) : -inf
Value Decomposition::emitScores(Value combined) {
  AffineMap identity = rewriter.getMultiDimIdentityMap(4);
  SmallVector<Value> inputs = {combined};
  SmallVector<AffineMap> maps = {identity};
  auto add = [&](Value operand, AffineMap operandMap) {
    inputs.push_back(operand);
    maps.push_back(operandMap);
  };
  for (Value operand : {op.getBias(), op.getMask()})
    if (operand)
      add(operand, broadcastMap(cast<RankedTensorType>(operand.getType())));
  if (Value lengths = op.getLengths())
    add(lengths, map(4, {dim(0)}));

  Value n = getValueOrCreateConstantIndexOp(rewriter, loc, queries);
  Value s = getValueOrCreateConstantIndexOp(rewriter, loc, keys);
  Value offset = arith::SubIOp::create(rewriter, loc, s, n);
  Value init = tensorOf({batch, heads, queries, keys}, f32, std::nullopt);
  return generic(
      inputs, maps, init, identity,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        unsigned next = 1;
        auto take = [&](Value operand) {
          return operand ? Value(args[next++]) : Value();
        };
        Value bias = take(op.getBias());
        Value mask = take(op.getMask());
        Value length = take(op.getLengths());
        ScorePlace place{linalg::IndexOp::create(b, loc, 0),
                         linalg::IndexOp::create(b, loc, 1),
                         linalg::IndexOp::create(b, loc, 2),
                         linalg::IndexOp::create(b, loc, 3), offset};
        Value score = emitModify(b, op, args[0], bias, place);
        Value visible = emitVisible(b, op, mask, length, place);
        if (!visible)
          return score;
        Value hidden = constant(b, -std::numeric_limits<double>::infinity());
        return arith::SelectOp::create(b, loc, visible, score, hidden);
      });
}

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
/// nothing is seen. The maximum starts at the finite -2^127: exp(-inf + 2^127)
/// is 0, where -inf - -inf would be NaN.
Value Decomposition::emitWeights(Value scores) {
  Value rowMax = emitRowReduction(scores, -std::ldexp(1.0, 127), larger);
  AffineMap identity = rewriter.getMultiDimIdentityMap(4);
  AffineMap row = map(4, {dim(0), dim(1), dim(2)});
  SmallVector<OpFoldResult> sizes = {batch, heads, queries, keys};
  Value exps = generic({scores, rowMax}, {identity, row},
                       tensorOf(sizes, f32, std::nullopt), identity,
                       exponential);
  Value rowSum = emitRowReduction(exps, 0.0, sum);
  if (op.getLse())
    lse = emitLse(rowMax, rowSum);
  return generic(
      {exps, rowSum}, {identity, row}, tensorOf(sizes, f32, std::nullopt),
      identity, [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value zero = constant(b, 0.0);
        Value isEmpty = arith::CmpFOp::create(
            b, loc, arith::CmpFPredicate::OEQ, args[1], zero);
        Value weight = arith::DivFOp::create(b, loc, args[0], args[1]);
        return arith::SelectOp::create(b, loc, isEmpty, zero, weight);
      });
}

/// mixer[b,i,c,a] = bias[c,a] + sum_d source[b,c,i,d] weight[d,a], with loops
/// b, i, c, a, d.
Value Decomposition::emitRowMixer() {
  Value bias = generic(
      op.getMixBias(), map(4, {dim(2), dim(3)}),
      tensorOf({batch, queries, heads, heads}, f32, std::nullopt),
      rewriter.getMultiDimIdentityMap(4),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return toF32(b, loc, args[0]);
      });
  return generic({op.getMixSource(), op.getMixWeight()},
                 {map(5, {dim(0), dim(2), dim(1), dim(4)}),
                  map(5, {dim(4), dim(3)})},
                 bias, map(5, {dim(0), dim(1), dim(2), dim(3)}),
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   Value product = arith::MulFOp::create(
                       b, loc, toF32(b, loc, args[0]), toF32(b, loc, args[1]));
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
  return generic({mixer, weights},
                 {mixerMap, map(5, {dim(0), dim(4), dim(2), dim(3)})},
                 tensorOf({batch, heads, queries, keys}, f32, 0.0),
                 map(5, {dim(0), dim(1), dim(2), dim(3)}),
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   Value product = arith::MulFOp::create(
                       b, loc, toF32(b, loc, args[0]), args[1]);
                   return arith::AddFOp::create(b, loc, args[2], product);
                 });
}

/// pooled[b,h,i,e] = sum_j weights[b,h,i,j] value[b,h',j,e], with loops b, h,
/// i, j, e. A weight of zero contributes nothing: the value rows that no query
/// sees may hold anything.
Value Decomposition::emitPool(Value weights) {
  AffineMap value = map(
      5, {dim(0), dim(1).floorDiv(op.getValueGroup()), dim(3), dim(4)});
  AffineMap output = map(5, {dim(0), dim(1), dim(2), dim(4)});
  SmallVector<OpFoldResult> sizes = {batch, heads, queries,
                                     sizeOf(op.getValue(), 3)};
  Value pooled = generic(
      {weights, op.getValue()},
      {map(5, {dim(0), dim(1), dim(2), dim(3)}), value},
      tensorOf(sizes, f32, 0.0), output,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value zero = constant(b, 0.0);
        Value isZero = arith::CmpFOp::create(
            b, loc, arith::CmpFPredicate::OEQ, args[0], zero);
        Value product = arith::MulFOp::create(b, loc, args[0],
                                              toF32(b, loc, args[1]));
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

SmallVector<Value> Decomposition::emit() {
  Value combined = emitCombined(emitRawScores(emitProducts()));
  Value weights = emitWeights(emitScores(emitPremix(combined)));
  if (op.hasPostmix())
    weights = emitPostmix(weights);
  SmallVector<Value> results = {emitPool(weights)};
  if (op.getWeights())
    results.push_back(weights);
  if (op.getLse())
    results.push_back(lse);
  for (auto [value, result] : llvm::zip_equal(results, op->getResults()))
    if (value.getType() != result.getType())
      value = tensor::CastOp::create(rewriter, loc, result.getType(), value);
  return results;
}

namespace {

struct DecomposePass : mixattn::impl::DecomposePassBase<DecomposePass> {
  void runOnOperation() override {
    SmallVector<AttentionOpInterface> attentions;
    getOperation()->walk(
        [&](AttentionOpInterface op) { attentions.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (AttentionOpInterface op : attentions) {
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, Decomposition(op, rewriter).emit());
    }
  }
};

} // namespace
