// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits Philox4x32-10 and Box-Muller's normals of its words.
//
// Every operation below is exact or rounded once by IEEE 754, none is fused or
// reordered, and none is a library's: results are equal on every machine.
// test/philox runs all 2^23 values of u through radius, cosine and sine, and
// bounds all 2^46 products.

#include "passes/body/Philox.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// `attr` in the type `type`: itself, or in every lane.
Value splat(ImplicitLocOpBuilder &b, Type type, TypedAttr attr) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    attr = DenseElementsAttr::get(shaped, ArrayRef<Attribute>(attr));
  return arith::ConstantOp::create(b, attr);
}

/// The type that has `element` where `type` has its own.
Type withElement(Type type, Type element) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(element);
  return element;
}

/// An i32, or a vector of i32, that computes by operators.
struct Int {
  ImplicitLocOpBuilder &b;
  Value value;

  Int of(uint32_t constant) const {
    return {b,
            splat(b, value.getType(), b.getI32IntegerAttr(int32_t(constant)))};
  }
  template <typename Op> Int apply(Int other) const {
    return {b, Op::create(b, value, other.value)};
  }
  Int operator+(Int other) const { return apply<arith::AddIOp>(other); }
  Int operator-(Int other) const { return apply<arith::SubIOp>(other); }
  Int operator^(Int other) const { return apply<arith::XOrIOp>(other); }
  Int operator+(uint32_t other) const { return *this + of(other); }
  Int operator-(uint32_t other) const { return *this - of(other); }
  Int operator&(uint32_t other) const {
    return apply<arith::AndIOp>(of(other));
  }
  Int operator|(uint32_t other) const { return apply<arith::OrIOp>(of(other)); }
  Int operator<<(uint32_t by) const { return apply<arith::ShLIOp>(of(by)); }
  /// Shifts in copies of the sign.
  Int operator>>(uint32_t by) const { return apply<arith::ShRSIOp>(of(by)); }
  /// Shifts in zeros.
  Int shiftedOut(uint32_t by) const { return apply<arith::ShRUIOp>(of(by)); }
  /// An i1: whether any of the bits `mask` is set.
  Value has(uint32_t mask) const {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                 (*this & mask).value, of(0).value);
  }
};

/// An f32, or a vector of f32, that computes by operators.
struct Float {
  ImplicitLocOpBuilder &b;
  Value value;

  Float of(float constant) const {
    return {b, splat(b, value.getType(), b.getF32FloatAttr(constant))};
  }
  Float operator+(Float other) const {
    return {b, arith::AddFOp::create(b, value, other.value)};
  }
  Float operator-(Float other) const {
    return {b, arith::SubFOp::create(b, value, other.value)};
  }
  Float operator*(Float other) const {
    return {b, arith::MulFOp::create(b, value, other.value)};
  }
  Float operator+(float other) const { return *this + of(other); }
  Float operator-(float other) const { return *this - of(other); }
  Float operator*(float other) const { return *this * of(other); }
};

} // namespace

/// The float of an integer below 2^24 in magnitude: exact.
static Float toFloat(Int x) {
  Type type = withElement(x.value.getType(), x.b.getF32Type());
  return {x.b, arith::SIToFPOp::create(x.b, type, x.value)};
}

static Int bitsOf(Float x) {
  Type type = withElement(x.value.getType(), x.b.getI32Type());
  return {x.b, arith::BitcastOp::create(x.b, type, x.value)};
}

static Float withBits(Int x) {
  Type type = withElement(x.value.getType(), x.b.getF32Type());
  return {x.b, arith::BitcastOp::create(x.b, type, x.value)};
}

static Float select(Value condition, Float yes, Float no) {
  return {yes.b,
          arith::SelectOp::create(yes.b, condition, yes.value, no.value)};
}

/// sum of coefficients[n] x^n, by Horner's rule.
static Float polynomial(Float x, ArrayRef<float> coefficients) {
  Float sum = x.of(coefficients.back());
  for (float coefficient : llvm::reverse(coefficients.drop_back()))
    sum.value = (sum * x + coefficient).value;
  return sum;
}

/// u 2^24, an odd integer below 2^24.
static Int uniform(Int word) { return word.shiftedOut(8) | 1; }

/// -2 ln(n 2^-24) for n below 2^24, relatively exact near 1, too.
///
/// With n 2^-24 = m 2^e, m in [sqrt 1/2, sqrt 2), and f = m - 1 that is
///   -2 ln(2) e - 2 f + f^2 + f^3 R(f),   R(f) = -2/3 + 1/2 f - ...
/// Summed so that what is large is exact: f = h + l, where h is a multiple of
/// 2^-11, so h^2 - 2 f is exact, and so is e times the upper part of -2 ln 2.
static Float minusTwoLog(Int n) {
  constexpr float logHigh = -0x1.62ep+0f, logLow = -0x1.0bfbe8p-14f;
  constexpr float R[] = {-0.666666329f, 0.500016212f,  -0.400045723f,
                         0.33249107f,   -0.283623934f, 0.262575358f,
                         -0.257632434f, 0.157190919f};
  constexpr uint32_t sqrtHalf = 0x3f3504f3;

  Int bits = bitsOf(toFloat(n));
  Int exponent = (bits - sqrtHalf) >> 23;
  Float f = withBits(bits - (exponent << 23)) - 1.0f;
  Float e = toFloat(exponent - 24);

  Float h = (f + 6144.0f) - 6144.0f;
  Float l = f - h;
  Float high = e * logHigh;
  Float rest = h * h - (f + f);
  Float sum = high + rest;
  Float lost = rest - (sum - high);
  Float small = l * (f + h) + e * logLow + lost;
  Float square = f * f;
  return sum + (small + square * f * polynomial(f, R));
}

/// The cosine and sine of 2 pi n 2^-24, by quarters q of a turn and what is
/// left, t in [-1/8, 1/8) turns: exact.
///
/// With s = t^2, sin = 6 t + t P(s) and cos = 1 - 20 s + s Q(s): again what is
/// large is exact, with t = h + l, h a multiple of 2^-13.
static std::pair<Float, Float> cosSin(Int n) {
  constexpr float P[] = {0.283185303f, -41.3417015f, 81.6052017f, -76.6977692f,
                         41.4698181f};
  constexpr float Q[] = {0.260791332f, 64.9393234f, -85.4432068f, 59.2282104f};
  constexpr uint32_t eighth = 1 << 21;

  Int q = (n + eighth) >> 22;
  Float t = toFloat(n - (q << 22)) * 0x1p-24f;
  Float s = t * t;
  Float sine = t * 6.0f + t * polynomial(s, P);

  Float h = (t + 1536.0f) - 1536.0f;
  Float l = t - h;
  Float large = t.of(1.0f) - h * h * 20.0f;
  Float cosine = large + (s * polynomial(s, Q) - l * (t + h) * 20.0f);

  // Each quarter of a turn makes (cos, sin) of (-sin, cos).
  Value isOdd = q.has(1);
  auto withSign = [](Float x, Int sign) {
    return withBits(bitsOf(x) ^ ((sign & 2) << 30));
  };
  return {withSign(select(isOdd, sine, cosine), q + 1),
          withSign(select(isOdd, cosine, sine), q)};
}

static Float radius(Int word) {
  Float square = minusTwoLog(uniform(word));
  return {word.b, math::SqrtOp::create(word.b, square.value)};
}

/// Box-Muller's two normals of two words.
static std::pair<Float, Float> normals(Int word0, Int word1) {
  Float r = radius(word0);
  auto [cosine, sine] = cosSin(uniform(word1));
  return {r * cosine, r * sine};
}

Value mixattn::emitRadius(OpBuilder &builder, Location loc, Value word) {
  ImplicitLocOpBuilder b(loc, builder);
  return radius({b, word}).value;
}

CosSin mixattn::emitCosSin(OpBuilder &builder, Location loc, Value word) {
  ImplicitLocOpBuilder b(loc, builder);
  auto [cosine, sine] = cosSin(uniform({b, word}));
  return {cosine.value, sine.value};
}

std::array<Value, 4> mixattn::emitNormals(OpBuilder &builder, Location loc,
                                          const PhiloxBlock &words) {
  ImplicitLocOpBuilder b(loc, builder);
  auto [normal0, normal1] = normals({b, words[0]}, {b, words[1]});
  auto [normal2, normal3] = normals({b, words[2]}, {b, words[3]});
  return {normal0.value, normal1.value, normal2.value, normal3.value};
}

PhiloxBlock mixattn::emitPhilox(OpBuilder &builder, Location loc,
                                PhiloxBlock counter, PhiloxKey key) {
  constexpr uint32_t multipliers[] = {0xD2511F53, 0xCD9E8D57};
  constexpr uint32_t weyl[] = {0x9E3779B9, 0xBB67AE85};
  constexpr int rounds = 10;

  ImplicitLocOpBuilder b(loc, builder);
  auto product = [&](Value word, uint32_t multiplier) -> std::pair<Int, Int> {
    Value constant = Int{b, word}.of(multiplier).value;
    auto op = arith::MulUIExtendedOp::create(b, word, constant);
    return {Int{b, op.getLow()}, Int{b, op.getHigh()}};
  };
  for (int round = 0; round < rounds; ++round) {
    auto [low0, high0] = product(counter[0], multipliers[0]);
    auto [low1, high1] = product(counter[2], multipliers[1]);
    Int key0{b, key[0]}, key1{b, key[1]};
    counter = {(high1 ^ Int{b, counter[1]} ^ key0).value, low1.value,
               (high0 ^ Int{b, counter[3]} ^ key1).value, low0.value};
    key = {(key0 + weyl[0]).value, (key1 + weyl[1]).value};
  }
  return counter;
}

/// The low 32 bits of an index or i64.
static Value lowWord(ImplicitLocOpBuilder &b, Value value) {
  Type type = withElement(value.getType(), b.getI32Type());
  if (isa<IndexType>(getElementTypeOrSelf(value)))
    return arith::IndexCastOp::create(b, type, value);
  return arith::TruncIOp::create(b, type, value);
}

static Value shiftedOut(ImplicitLocOpBuilder &b, Value value, int64_t by) {
  Type element = getElementTypeOrSelf(value);
  Value amount = splat(b, value.getType(), b.getIntegerAttr(element, by));
  return arith::ShRUIOp::create(b, value, amount);
}

PhiloxBlock mixattn::emitNoiseBlock(OpBuilder &builder, Location loc,
                                    const NoisePlace &place) {
  ImplicitLocOpBuilder b(loc, builder);
  Value row = arith::AddIOp::create(
      b, arith::MulIOp::create(b, place.b, place.heads), place.head);
  PhiloxBlock counter = {lowWord(b, shiftedOut(b, place.j, 2)),
                         lowWord(b, place.i), lowWord(b, row),
                         lowWord(b, place.offset)};
  PhiloxKey key = {lowWord(b, place.seed),
                   lowWord(b, shiftedOut(b, place.seed, 32))};
  return emitPhilox(b, loc, counter, key);
}

Value mixattn::emitNormal(OpBuilder &builder, Location loc,
                          const NoisePlace &place) {
  NoisePlace first = place;
  if (place.pair)
    first.j = place.pair;
  PhiloxBlock words = emitNoiseBlock(builder, loc, first);
  ImplicitLocOpBuilder b(loc, builder);
  Int j{b, lowWord(b, first.j)};
  Value isUpper = j.has(2);
  Value isOdd = place.pair ? arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                                   place.j, place.pair)
                           : j.has(1);
  auto pick = [&](Value upper, Value lower) -> Int {
    return {b, arith::SelectOp::create(b, isUpper, upper, lower)};
  };
  auto [even, odd] =
      normals(pick(words[2], words[0]), pick(words[3], words[1]));
  return select(isOdd, odd, even).value;
}
