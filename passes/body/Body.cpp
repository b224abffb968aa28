// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the products of one query and key to the exponents of its weights.

#include "passes/body/Body.h"
#include "passes/body/FeatureMap.h"
#include "passes/body/Philox.h"
#include "passes/body/References.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

static int64_t rankOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

/// Whether the scale may act on products: nothing is added to them before it
/// acts, and what happens in between is linear.
static bool scalesProducts(AttentionOpInterface op) {
  if (!op.getQuery() || op.hasComponents() || op.getQueryTerm() ||
      op.getKeyTerm())
    return false;
  if (op.getScaleBefore() || !op.hasPremix())
    return true;
  return op.getPremixer() && !op.getNoiseKind() && !op.getReluPerKey();
}

Body::Body(AttentionOpInterface op, BodyOperands &operands)
    : op(op), operands(operands), loc(op->getLoc()) {
  assert((op.getGaussian() || !op.getShifts()) &&
         "scores are products and terms, or distances");
  if (op.getVariances() || op.getGaussian())
    factor = 1.0 / op.getVariance(0);
  if (scalesProducts(op)) {
    hasScaledProducts = true;
    factor *= op.getScaleOrDefault();
  }
}

int64_t Body::numProducts() {
  bool isPerComponent =
      op.getKey() && (op.getKeyType().getRank() == 5 || op.getShifts());
  return isPerComponent ? op.getNumComponents() : 1;
}

bool Body::addsComponents(AttentionOpInterface op) {
  return op.hasComponents() && !op.getMaximum() && !op.hasPremix() &&
         op.getScaleOrDefault() == 1.0 && !op.hasScoreMod() &&
         !op.getSigsoftmax();
}

bool Body::isScaledProduct() {
  bool isLinearPremix =
      op.getPremixer() && !op.getNoiseKind() && !op.getReluPerKey();
  return hasScaledProducts && factor > 0 && op.getBase2() &&
         (!op.hasPremix() || isLinearPremix) && !op.getPrior() &&
         !op.getBias() && !op.hasScoreMod() && !op.getSigsoftmax();
}

int64_t Body::numStarts() {
  if (!op.getW1())
    return numChannels() * numExponents();
  return cast<RankedTensorType>(op.getB1().getType()).getDimSize(0);
}

int64_t Body::numExponents() { return isLinear() ? op.getNumComponents() : 1; }

bool Body::sharesWork(AttentionOpInterface op) {
  return op.hasPremix() &&
         (op.getW1() || op.getNoiseKind() == NoiseKind::Global ||
          (op.hasComponents() && !op.getMaximum()));
}

Value Body::constant(OpBuilder &b, double value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
}

Value Body::multiply(OpBuilder &b, Value value, double by) {
  if (by == 1.0)
    return value;
  return arith::MulFOp::create(b, loc, value, constant(b, by));
}

/// x * y + z, in one instruction where there is one.
Value Body::multiplyAdd(OpBuilder &b, Value x, Value y, Value z) {
  auto fused = arith::FastMathFlags::contract;
  Value product = arith::MulFOp::create(b, loc, x, y, fused);
  return arith::AddFOp::create(b, loc, product, z, fused);
}

Value Body::read(OpBuilder &b, Value tensor, ArrayRef<Value> indices) {
  return toF32(b, loc, operands.emitRead(b, loc, tensor, indices));
}

/// Component r of a channel's raw scores.
Value Body::emitRaw(OpBuilder &b, Value product, int64_t r, Value channel,
                    const ScorePlace &place) {
  Value sum;
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto add = [&](Value term, SmallVector<Value> first, Value last) {
    if (rankOf(term) - first.size() == 2)
      first.push_back(index(r));
    first.push_back(last);
    Value value = read(b, term, first);
    sum = sum ? arith::AddFOp::create(b, loc, value, sum).getResult() : value;
  };
  if (Value term = op.getQueryTerm())
    add(term, {place.b, channel}, place.i);
  if (Value term = op.getKeyTerm()) {
    Value head =
        op.getKeyGroup() == 1
            ? channel
            : arith::DivUIOp::create(b, loc, channel, index(op.getKeyGroup()));
    add(term, {place.b, head}, place.j);
  }
  if (Value prior = op.getPrior()) {
    SmallVector<Value> indices = {channel, index(r)};
    if (rankOf(prior) == 3)
      indices.push_back(place.j);
    Value value = read(b, prior, indices);
    sum = sum ? arith::AddFOp::create(b, loc, value, sum).getResult() : value;
  }
  // The factor holds the first variance's inverse.
  double by = op.getVariances() || op.getGaussian()
                  ? op.getVariance(0) / op.getVariance(r)
                  : 1.0;
  if (!sum)
    return multiply(b, product, by);
  // Where the product was multiplied just now, it is one instruction.
  return by == 1.0 ? arith::AddFOp::create(b, loc, product, sum,
                                           arith::FastMathFlags::contract)
                         .getResult()
                   : multiplyAdd(b, product, constant(b, by), sum);
}

/// The logarithm of the sum of powers of `scores`, in the op's base. The
/// largest starts at a finite number: components that are all switched off give
/// -inf.
Value Body::emitLogSum(OpBuilder &b, ArrayRef<Value> scores) {
  Value largest = constant(b, -0x1p127);
  for (Value score : scores) {
    Value isLarger = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                           score, largest);
    largest = arith::SelectOp::create(b, loc, isLarger, score, largest);
  }
  double toBase2 = op.getBase2() ? 1.0 : llvm::numbers::log2e;
  Value sum;
  for (Value score : scores) {
    Value exponent =
        multiply(b, arith::SubFOp::create(b, loc, score, largest), toBase2);
    Value power = math::Exp2Op::create(b, loc, exponent);
    sum = sum ? arith::AddFOp::create(b, loc, sum, power).getResult() : power;
  }
  Value log = math::Log2Op::create(b, loc, sum);
  return arith::AddFOp::create(b, loc, largest,
                               multiply(b, log, 1.0 / toBase2));
}

SmallVector<Value> Body::emitChannel(OpBuilder &b, ValueRange products,
                                     Value channel, const ScorePlace &place) {
  SmallVector<Value> raw;
  for (int64_t r = 0; r < op.getNumComponents(); ++r)
    raw.push_back(
        emitRaw(b, products[numProducts() == 1 ? 0 : r], r, channel, place));
  if (isLinear())
    return raw;
  Value score = raw.front();
  if (op.hasComponents() && op.getMaximum())
    for (Value other : ArrayRef<Value>(raw).drop_front())
      score = arith::MaximumFOp::create(b, loc, score, other);
  else if (raw.size() > 1)
    score = emitLogSum(b, raw);
  if (op.getScaleBefore() && !hasScaledProducts)
    score = emitScale(b, op, score);
  return {score};
}

/// The noise that channel `channel` gets, for head place.h where it is local.
Value Body::emitNoise(OpBuilder &b, int64_t channel, const ScorePlace &place) {
  bool isLocal = op.getNoiseKind() == NoiseKind::Local;
  Value head =
      isLocal ? place.h
              : arith::ConstantIndexOp::create(b, loc, channel).getResult();
  if (Value noise = op.getNoise())
    return read(b, noise, {place.b, head, place.i, place.j});
  int64_t heads = isLocal ? op.getNumHeads() : op.getNumQueryHeads();
  auto number = [&](Value tensor) {
    Value value = operands.emitRead(b, loc, tensor, {});
    if (!value.getType().isInteger(64))
      value = arith::ExtSIOp::create(b, loc, b.getI64Type(), value);
    return value;
  };
  return emitNormal(b, loc,
                    {place.b, head, place.i,
                     place.number ? place.number : place.j,
                     arith::ConstantIndexOp::create(b, loc, heads),
                     number(op.getSeed()), number(op.getOffset()), place.pair});
}

/// score + sigma noise
Value Body::emitNoisy(OpBuilder &b, Value score, int64_t channel,
                      const ScorePlace &place) {
  if (!op.getNoiseKind())
    return score;
  Value index = arith::ConstantIndexOp::create(b, loc, channel);
  return multiplyAdd(b, read(b, op.getSigma(), {index}),
                     emitNoise(b, channel, place), score);
}

SmallVector<Value> Body::emitStart(OpBuilder &b, ValueRange products,
                                   const ScorePlace &place) {
  int64_t each = numProducts();
  SmallVector<Value> all;
  for (int64_t c = 0; c < numChannels(); ++c) {
    Value channel = isCoupled()
                        ? arith::ConstantIndexOp::create(b, loc, c).getResult()
                        : place.h;
    SmallVector<Value> own;
    if (Value given = op.getGivenScores())
      own.push_back(read(b, given, {place.b, channel, place.i, place.j}));
    else
      llvm::append_range(own, products.slice(c * each, each));
    llvm::append_range(all, emitChannel(b, own, channel, place));
  }
  return emitMixed(b, all, place);
}

SmallVector<Value> Body::emitMixed(OpBuilder &b, ValueRange channels,
                                   const ScorePlace &place) {
  SmallVector<Value> scores(channels);
  if (!op.hasPremix())
    return scores;
  bool isLocal = op.getNoiseKind() == NoiseKind::Local;
  if (!isLocal)
    for (auto [k, score] : llvm::enumerate(scores))
      score = emitNoisy(b, score, k, place);
  if (!op.getW1())
    return scores;
  // The hidden layer.
  int64_t hidden = cast<RankedTensorType>(op.getB1().getType()).getDimSize(0);
  SmallVector<Value> layer;
  for (int64_t l = 0; l < hidden; ++l) {
    Value unit = arith::ConstantIndexOp::create(b, loc, l);
    Value sum = read(b, op.getB1(), {unit});
    for (auto [k, score] : llvm::enumerate(scores)) {
      Value channel = arith::ConstantIndexOp::create(b, loc, k);
      sum = multiplyAdd(b, score, read(b, op.getW1(), {channel, unit}), sum);
    }
    layer.push_back(emitRelu(b, loc, sum));
  }
  return layer;
}

/// The score of head place.h from `mixed`, the channels or the hidden layer.
Value Body::emitPremix(OpBuilder &b, ValueRange mixed,
                       const ScorePlace &place) {
  Value mixer = op.getW1() ? op.getW2() : op.getPremixer();
  bool isLocal = op.getNoiseKind() == NoiseKind::Local;
  Value sum;
  if (op.getW1())
    sum = read(b, op.getB2(), {place.h});
  for (auto [k, value] : llvm::enumerate(mixed)) {
    SmallVector<Value> indices = {arith::ConstantIndexOp::create(b, loc, k)};
    if (rankOf(mixer) == 2)
      indices.push_back(place.h);
    Value score = isLocal ? emitNoisy(b, value, k, place) : value;
    Value element = read(b, mixer, indices);
    if (sum && !op.getReluPerKey()) {
      sum = multiplyAdd(b, score, element, sum);
      continue;
    }
    Value term = arith::MulFOp::create(b, loc, score, element);
    if (op.getReluPerKey())
      term = emitRelu(b, loc, term);
    sum = sum ? arith::AddFOp::create(b, loc, term, sum).getResult() : term;
  }
  return sum;
}

SmallVector<Value> Body::emitExponents(OpBuilder &b, ValueRange mixed,
                                       const ScorePlace &place) {
  Value bias;
  if (op.getBias())
    bias = operands.emitRead(
        b, loc, op.getBias(),
        broadcastIndices(b, loc, op.getBias().getType(), place));
  SmallVector<Value> exponents;
  if (isLinear()) {
    for (Value exponent : mixed) {
      if (bias)
        exponent = arith::AddFOp::create(b, loc, exponent, toF32(b, loc, bias));
      exponents.push_back(emitToBase2(b, exponent));
    }
    return exponents;
  }
  Value score = op.hasPremix() ? emitPremix(b, mixed, place) : mixed.front();
  score = emitExponent(b, op, score, bias, place, hasScaledProducts, &operands);
  return {emitToBase2(b, score)};
}

/// The logarithm to base 2 whose natural one is `score`; what is added to
/// scores may lie at the end of f32, and says less than -inf does.
Value Body::emitToBase2(OpBuilder &b, Value score) {
  if (op.getBase2())
    return score;
  Value exponent = multiply(b, score, llvm::numbers::log2e);
  if (!op.getBias() && !op.hasScoreMod() && !op.getGivenScores())
    return exponent;
  Value least = constant(b, lowest);
  Value never = constant(b, -std::numeric_limits<double>::infinity());
  using arith::CmpFPredicate;
  Value isBelow =
      arith::CmpFOp::create(b, loc, CmpFPredicate::OLT, exponent, least);
  Value isFinite =
      arith::CmpFOp::create(b, loc, CmpFPredicate::OGT, score, never);
  Value isLost = arith::AndIOp::create(b, loc, isBelow, isFinite);
  return arith::SelectOp::create(b, loc, isLost, least, exponent);
}

Value Body::emitIsVisible(OpBuilder &b, const ScorePlace &place,
                          bool isBelowLength) {
  Value mask, length;
  if (Value tensor = op.getMask())
    mask = operands.emitRead(b, loc, tensor,
                             broadcastIndices(b, loc, tensor.getType(), place));
  if (Value tensor = op.getLengths(); tensor && !isBelowLength)
    length = operands.emitRead(b, loc, tensor, {place.b});
  return mixattn::emitIsVisible(b, op, mask, length, place);
}

Value Body::emitIsKept(OpBuilder &b, const ScorePlace &place) {
  if (!op.getKeep())
    return {};
  return emitInBand(b, loc, *op.getKeep(), place);
}

Value Body::emitPostmix(OpBuilder &b, ValueRange weights,
                        function_ref<Value(int64_t)> coefficient) {
  Value sum;
  for (auto [from, weight] : llvm::enumerate(weights)) {
    Value factor = coefficient(from);
    sum = sum ? multiplyAdd(b, weight, factor, sum)
              : arith::MulFOp::create(b, loc, weight, factor).getResult();
  }
  return sum;
}
