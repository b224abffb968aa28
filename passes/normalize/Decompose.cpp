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

  /// The attention's result.
  Value emit();

private:
  using Body = function_ref<Value(OpBuilder &, Location, ValueRange)>;

  Value emitProducts();
  Value emitScores(Value products);
  Value emitRowReduction(Value tensor, double init, Body combine);
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

  AttentionOpInterface op;
  RewriterBase &rewriter;
  Location loc;
  Type f32;
  OpFoldResult batch, heads, queries, keys;
};

} // namespace

Decomposition::Decomposition(AttentionOpInterface op, RewriterBase &rewriter)
    : op(op), rewriter(rewriter), loc(op->getLoc()), f32(rewriter.getF32Type()),
      batch(sizeOf(op.getQuery(), 0)), heads(sizeOf(op.getQuery(), 1)),
      queries(sizeOf(op.getQuery(), 2)), keys(sizeOf(op.getKey(), 2)) {}

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

/// products[b,h,i,j] = sum_d query[b,h,i,d] key[b,h',j,d]
Value Decomposition::emitProducts() {
  AffineMap query = map(5, {dim(0), dim(1), dim(2), dim(4)});
  AffineMap key = map(
      5, {dim(0), dim(1).floorDiv(op.getKeyGroup()), dim(3), dim(4)});
  AffineMap score = map(5, {dim(0), dim(1), dim(2), dim(3)});
  Value init = tensorOf({batch, heads, queries, keys}, f32, 0.0);
  return generic({op.getQuery(), op.getKey()}, {query, key}, init, score,
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   Value product = arith::MulFOp::create(
                       b, loc, toF32(b, loc, args[0]), toF32(b, loc, args[1]));
                   return arith::AddFOp::create(b, loc, args[2], product);
                 });
}

/// scores = visible ? modify(products) : -inf
Value Decomposition::emitScores(Value products) {
  AffineMap identity = rewriter.getMultiDimIdentityMap(4);
  SmallVector<Value> inputs = {products};
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

/// weights = exp(scores - row maximum) / row sum, and 0 in rows of which
/// nothing is seen. The maximum starts at the finite -2^127: exp(-inf + 2^127)
/// is 0, where -inf - -inf would be NaN.
Value Decomposition::emitWeights(Value scores) {
  Value rowMax = emitRowReduction(
      scores, -std::ldexp(1.0, 127),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value greater = arith::CmpFOp::create(
            b, loc, arith::CmpFPredicate::OGT, args[0], args[1]);
        return arith::SelectOp::create(b, loc, greater, args[0], args[1]);
      });
  AffineMap identity = rewriter.getMultiDimIdentityMap(4);
  AffineMap row = map(4, {dim(0), dim(1), dim(2)});
  SmallVector<OpFoldResult> sizes = {batch, heads, queries, keys};
  Value exps = generic(
      {scores, rowMax}, {identity, row}, tensorOf(sizes, f32, std::nullopt),
      identity, [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value shifted = arith::SubFOp::create(b, loc, args[0], args[1]);
        return math::ExpOp::create(b, loc, shifted);
      });
  Value rowSum = emitRowReduction(
      exps, 0.0, [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::AddFOp::create(b, loc, args[1], args[0]);
      });
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

Value Decomposition::emit() {
  Value weights = emitWeights(emitScores(emitProducts()));
  if (op.hasPostmix())
    weights = emitPostmix(weights);
  Value result = emitPool(weights);
  Type type = op->getResult(0).getType();
  if (result.getType() != type)
    result = tensor::CastOp::create(rewriter, loc, type, result);
  return result;
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
