// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sines, cosines and tangents, of angles of any size.

#include "passes/lower/gpu/FunctionEmitter.h"
#include "passes/lower/gpu/Lowerings.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// An angle less the nearest multiple of pi/2, an f64, and the low bits of that
/// multiple, an i64.
struct ReducedAngle {
  Value rest, quarters;
};

/// Arithmetic that functions of angles share.
struct AngleEmitter : FunctionEmitter {
  using FunctionEmitter::FunctionEmitter;

  ReducedAngle reduceSmall(Value x);
  ReducedAngle reduceLarge(Value x);
  ReducedAngle reduce(Value x);
  /// An angle of at most pi/4 in magnitude, an f32.
  Value sineOf(Value angle);
  Value cosineOf(Value angle);
  /// Whether bit `bit` of `number` is set.
  Value hasBit(Value number, int bit);
};

} // namespace

/// Below 2^25 the multiple is exact, and pi/2 as a sum of two f64 is enough.
ReducedAngle AngleEmitter::reduceSmall(Value x) {
  Value angle = wide(x);
  auto [whole, last] =
      nearest(product(angle, constant(angle, 2 * llvm::numbers::inv_pi)));
  Value minus = negative(whole);
  Value rest = multiplyAdd(minus, constant(angle, 0x1.921fb54442d18p+0), angle);
  rest = multiplyAdd(minus, constant(angle, 0x1.1a62633145c07p-54), rest);
  return {rest, last};
}

/// x is m 2^q with an integer m below 2^24. Of 2/pi, the bits count whose
/// products with it are below 4: 96 of them times m, modulo 2^96 (Payne and
/// Hanek 1983). The first 64 bits of the product are the multiple, in 2, and
/// the rest of it, in units of 2^-62.
ReducedAngle AngleEmitter::reduceLarge(Value x) {
  // Bits of 2/pi.
  constexpr int64_t words[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                               0xdb629599, 0x3c439041, 0xfe5163ab};
  Type i64 = b.getI64Type();
  auto number = [&](int64_t value) { return integer(i64, value); };
  auto add = [&](Value p, Value q) -> Value {
    return arith::AddIOp::create(b, p, q);
  };
  auto multiply = [&](Value p, Value q) -> Value {
    return arith::MulIOp::create(b, p, q);
  };
  auto left = [&](Value p, Value places) -> Value {
    return arith::ShLIOp::create(b, p, places);
  };
  auto right = [&](Value p, Value places) -> Value {
    return arith::ShRUIOp::create(b, p, places);
  };
  auto masked = [&](Value p, int64_t mask) -> Value {
    return arith::AndIOp::create(b, p, number(mask));
  };
  Value pattern = arith::ExtUIOp::create(b, i64, bits(magnitude(x)));
  Value m =
      arith::OrIOp::create(b, masked(pattern, 0x7fffff), number(0x800000));
  // q is the exponent less 150, and the first bit that counts is bit q - 2.
  Value first = add(right(pattern, number(23)), number(-152));
  Value word = right(first, number(5));
  Value wordAt[4];
  for (int i = 0; i < 4; ++i) {
    wordAt[i] = number(words[i]);
    for (int k = 1; k < 4; ++k) {
      Value isThere =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, word, number(k));
      wordAt[i] = choose(isThere, number(words[i + k]), wordAt[i]);
    }
  }
  Value drop = arith::SubIOp::create(b, number(32), masked(first, 31));
  Value part[3];
  for (int i = 0; i < 3; ++i)
    part[i] =
        masked(right(add(left(wordAt[i], number(32)), wordAt[i + 1]), drop),
               0xffffffff);
  Value turn =
      add(left(multiply(m, part[0]), number(32)),
          add(multiply(m, part[1]), right(multiply(m, part[2]), number(32))));
  Value quarters = right(add(turn, number(int64_t(1) << 61)), number(62));
  Value fraction = arith::SubIOp::create(b, turn, left(quarters, number(62)));
  Value rest = arith::SIToFPOp::create(b, b.getF64Type(), fraction);
  rest = product(rest, constant(rest, llvm::numbers::pi / 2 * 0x1p-62));
  // Multiples of a negative angle are negative, and so is its rest.
  Value isNegative = isTrue(Predicate::OLT, x, 0.0);
  Value opposite = arith::SubIOp::create(b, number(0), quarters);
  return {choose(isNegative, negative(rest), rest),
          choose(isNegative, opposite, quarters)};
}

ReducedAngle AngleEmitter::reduce(Value x) {
  Value isSmall = isTrue(Predicate::OLT, magnitude(x), 0x1p25);
  auto either = scf::IfOp::create(b, TypeRange{b.getF64Type(), b.getI64Type()},
                                  isSmall, /*withElseRegion=*/true);
  auto fill = [&](Block *block, auto emit) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(block);
    ReducedAngle angle = emit();
    scf::YieldOp::create(b, ValueRange{angle.rest, angle.quarters});
  };
  fill(either.thenBlock(), [&] { return reduceSmall(x); });
  fill(either.elseBlock(), [&] { return reduceLarge(x); });
  return {either.getResult(0), either.getResult(1)};
}

/// Taylor's, 2^-28 off at most, relative.
Value AngleEmitter::sineOf(Value angle) {
  Value square = product(angle, angle);
  Value p =
      polynomial(square, {1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6});
  return multiplyAdd(product(square, p), angle, angle);
}

/// Taylor's, 2^-31 off at most.
Value AngleEmitter::cosineOf(Value angle) {
  Value square = product(angle, angle);
  return polynomial(square, {-1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24,
                             -1.0 / 2, 1.0});
}

Value AngleEmitter::hasBit(Value number, int bit) {
  Value only = arith::AndIOp::create(
      b, number, integer(number.getType(), int64_t(1) << bit));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, only,
                               integer(number.getType(), 0));
}

namespace {

/// sin(x), cos(x), tan(x)  ->  polynomials of x less a multiple of pi/2
template <typename Op> struct AngleToPolynomials : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    if (!x.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    AngleEmitter emit(op.getLoc(), rewriter);
    auto [rest, quarters] = emit.reduce(x);
    if (std::is_same_v<Op, math::CosOp>)
      quarters = arith::AddIOp::create(emit.b, quarters,
                                       emit.integer(quarters.getType(), 1));
    Value angle = emit.narrow(rest);
    Value sine = emit.sineOf(angle), cosine = emit.cosineOf(angle);
    Value isOdd = emit.hasBit(quarters, 0);
    Value result = emit.choose(isOdd, cosine, sine);
    Value isNegative = emit.hasBit(quarters, 1);
    if (std::is_same_v<Op, math::TanOp>) {
      result = emit.quotient(result, emit.choose(isOdd, sine, cosine));
      isNegative = isOdd;
    }
    result = emit.choose(isNegative, emit.negative(result), result);
    // Infinities have no sine. -0 has one of its own sign.
    Value none = emit.difference(x, x);
    Value isFinite = emit.isTrue(FunctionEmitter::Predicate::OEQ, none, 0.0);
    result = emit.choose(isFinite, result, none);
    if (!std::is_same_v<Op, math::CosOp>)
      result = emit.choose(emit.isTrue(FunctionEmitter::Predicate::OEQ, x, 0.0),
                           x, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void mixattn::populateAngles(RewritePatternSet &patterns) {
  patterns.add<AngleToPolynomials<math::SinOp>, AngleToPolynomials<math::CosOp>,
               AngleToPolynomials<math::TanOp>>(patterns.getContext());
}
