// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Angles of given tangents, sines and cosines.

#include "passes/lower/gpu/FunctionEmitter.h"
#include "passes/lower/gpu/Lowerings.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mixattn;

namespace {

constexpr double pi = llvm::numbers::pi;

struct InverseEmitter : FunctionEmitter {
  using FunctionEmitter::FunctionEmitter;

  /// x + x^3 p(x^2)
  Value odd(Value x, Value square, ArrayRef<double> highestFirst) {
    Value p = product(square, polynomial(square, highestFirst));
    return multiplyAdd(p, x, x);
  }

  /// The angle, from 0 to pi, of a point with the coordinates |x| and |y|, of
  /// which `x` may count as negative. Both are f32.
  Value angleOf(Value y, Value x, Value isNegative) {
    Value high = magnitude(y), wide = magnitude(x);
    Value isSteep = isTrue(Predicate::OGT, high, wide);
    Value least = choose(isSteep, wide, high);
    Value most = choose(isSteep, high, wide);
    Value ratio = quotient(least, most);
    // Of the origin the angle is 0, and of two infinities as of two ones.
    ratio = choose(isTrue(Predicate::OEQ, most, 0.0), constant(y, 0), ratio);
    ratio = choose(
        isTrue(Predicate::OEQ, least, std::numeric_limits<double>::infinity()),
        constant(y, 1), ratio);
    // Minimax over [0, 1], of the tangent's square: 2^-28 off.
    Value angle =
        odd(ratio, product(ratio, ratio),
            {0.00148869193875, -0.00914462975793, 0.0263050011047,
             -0.0489605140211, 0.0703191424964, -0.0893182677723,
             0.110882616287, -0.142840037947, 0.199999493211, -0.333333330811});
    auto from = [&](double start, Value angle) {
      return complement(start, angle);
    };
    angle = choose(isSteep, from(pi / 2, angle), angle);
    return choose(isNegative, from(pi, angle), angle);
  }

  /// `start` less `angle`, where `start` is more exact than an f32.
  Value complement(double start, Value angle) {
    double high = static_cast<float>(start);
    return sum(difference(constant(angle, high), angle),
               constant(angle, start - high));
  }

  /// The angle, at most pi/6, of a sine of at most 1/2 with the given square.
  Value smallAngle(Value sine, Value square) {
    // Minimax over [0, 1/4]: 2^-28 off.
    return odd(sine, square,
               {0.0336908472116, 0.0171492383517, 0.031100662737,
                0.0445994015284, 0.075000945435, 0.166666663374});
  }

  /// The angle of sine |x|, of half that of which the sine is
  /// sqrt((1 - |x|) / 2) from 1/2 on: `small` below 1/2, `half` from there.
  struct Parts {
    Value isSmall, small, half;
  };
  Parts partsOf(Value x) {
    Value sine = magnitude(x);
    Value square = product(sine, sine);
    Value rest = multiplyAdd(sine, constant(x, -0.5), constant(x, 0.5));
    return {isTrue(Predicate::OLT, sine, 0.5), smallAngle(sine, square),
            smallAngle(root(rest), rest)};
  }
};

/// atan2(y, x)  ->  a polynomial of the lesser one over the greater one
struct Atan2ToPolynomial : OpRewritePattern<math::Atan2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Atan2Op op,
                                PatternRewriter &rewriter) const override {
    Value y = op.getLhs(), x = op.getRhs();
    if (!x.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    InverseEmitter emit(op.getLoc(), rewriter);
    // -0 counts as negative.
    Value sign = emit.signedAs(emit.constant(x, 1), x);
    Value isNegative = emit.isTrue(FunctionEmitter::Predicate::OLT, sign, 0.0);
    Value angle = emit.signedAs(emit.angleOf(y, x, isNegative), y);
    Value isNan = emit.isTrue(FunctionEmitter::Predicate::UNO, x, y);
    rewriter.replaceOp(op, emit.choose(isNan, emit.sum(x, y), angle));
    return success();
  }
};

} // namespace

/// atan2(x, 1)
static Value inverseTangent(FunctionEmitter &emit, Value x) {
  return math::Atan2Op::create(emit.b, x, emit.constant(x, 1));
}

/// A polynomial of x, from 1/2 on of sqrt((1 - |x|) / 2).
static Value inverseSine(InverseEmitter &emit, Value x) {
  auto [isSmall, small, half] = emit.partsOf(x);
  Value large = emit.complement(pi / 2, emit.sum(half, half));
  return emit.signedAs(emit.choose(isSmall, small, large), x);
}

/// pi/2 - asin(x), from 1/2 on the polynomial's own.
static Value inverseCosine(InverseEmitter &emit, Value x) {
  auto [isSmall, small, half] = emit.partsOf(x);
  Value twice = emit.sum(half, half);
  Value isNegative = emit.isTrue(FunctionEmitter::Predicate::OLT, x, 0.0);
  Value large = emit.choose(isNegative, emit.complement(pi, twice), twice);
  Value middle = emit.complement(pi / 2, emit.signedAs(small, x));
  return emit.choose(isSmall, middle, large);
}

void mixattn::populateInverseAngles(RewritePatternSet &patterns) {
  patterns.add<
      Atan2ToPolynomial, FunctionToArithmetic<math::AtanOp, inverseTangent>,
      FunctionToArithmetic<math::AsinOp, inverseSine, InverseEmitter>,
      FunctionToArithmetic<math::AcosOp, inverseCosine, InverseEmitter>>(
      patterns.getContext());
}
