// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of exponentials and of logarithms, which are computed in f64: f32
// would multiply rounding errors by the exponent.

#include "passes/lower/gpu/FunctionEmitter.h"
#include "passes/lower/gpu/Lowerings.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mixattn;

using Predicate = FunctionEmitter::Predicate;

/// (e^x + e^-x) / 2
static Value hyperbolicCosine(FunctionEmitter &emit, Value x) {
  Value power = emit.exponential(emit.magnitude(emit.wide(x)));
  Value half = emit.product(power, emit.constant(power, 0.5));
  Value inverse = emit.quotient(emit.constant(power, 0.5), power);
  return emit.narrow(emit.sum(half, inverse));
}

/// (e^x - e^-x) / 2, and below 1 a polynomial.
static Value hyperbolicSine(FunctionEmitter &emit, Value x) {
  Value size = emit.magnitude(x);
  Value power = emit.exponential(emit.wide(size));
  Value half = emit.product(power, emit.constant(power, 0.5));
  Value inverse = emit.quotient(emit.constant(power, 0.5), power);
  Value large = emit.narrow(emit.difference(half, inverse));
  // Minimax over [0, 1], of the square: 2^-32 off.
  Value square = emit.product(size, size);
  Value p = emit.polynomial(square, {2.80628025823e-6, 0.000198381019687,
                                     0.00833333967592, 0.166666666468});
  Value small = emit.multiplyAdd(emit.product(square, p), size, size);
  Value isSmall = emit.isTrue(Predicate::OLT, size, 1.0);
  return emit.signedAs(emit.choose(isSmall, small, large), x);
}

/// e^(-x^2) u q(u) with u = 3 / (3 + x), from 0 on; 2 less that of -x below.
static Value complementaryError(FunctionEmitter &emit, Value x) {
  Value size = emit.magnitude(emit.wide(x));
  Value three = emit.constant(size, 3);
  Value u = emit.quotient(three, emit.sum(three, size));
  // Minimax over x from 0 to 10.5, beyond which the result is 0: 2^-34 off.
  Value q = emit.polynomial(
      u, {-0.0276110195993, 0.185288724232, -0.497868241309, 0.678697751313,
          -0.573411839067, 0.424531872919, -0.0670258401041, 0.175987656454,
          0.146329645389, 0.179071300873, 0.187942294393, 0.188067694468});
  Value power = emit.exponential(emit.negative(emit.product(size, size)));
  Value above = emit.product(power, emit.product(u, q));
  Value below = emit.difference(emit.constant(size, 2), above);
  Value isNegative = emit.isTrue(Predicate::OLT, x, 0.0);
  return emit.narrow(emit.choose(isNegative, below, above));
}

/// log2(x) `factor`
static Value scaledLogarithm(FunctionEmitter &emit, Value x, double factor) {
  Value log = emit.binaryLogarithm(x);
  return emit.narrow(emit.product(log, emit.constant(log, factor)));
}

static Value decimalLogarithm(FunctionEmitter &emit, Value x) {
  constexpr double log10Of2 = llvm::numbers::ln2 / llvm::numbers::ln10;
  return scaledLogarithm(emit, emit.wide(x), log10Of2);
}

/// Below this, inverse hyperbolic functions are their argument: what is next in
/// their series is x^3 / 3 at most.
constexpr double least = 0x1p-13;

/// `result` with the sign of `x`; `x` itself where it is small.
static Value orItself(FunctionEmitter &emit, Value x, Value result) {
  Value isSmall = emit.isTrue(Predicate::OLT, emit.magnitude(x), least);
  return emit.choose(isSmall, x, emit.signedAs(result, x));
}

/// log(|x| + sqrt(x^2 + 1))
static Value inverseHyperbolicSine(FunctionEmitter &emit, Value x) {
  Value size = emit.magnitude(emit.wide(x));
  Value root = emit.root(emit.multiplyAdd(size, size, emit.constant(size, 1)));
  Value result =
      scaledLogarithm(emit, emit.sum(size, root), llvm::numbers::ln2);
  return orItself(emit, x, result);
}

/// log(x + sqrt(x^2 - 1))
static Value inverseHyperbolicCosine(FunctionEmitter &emit, Value x) {
  Value size = emit.wide(x);
  Value root = emit.root(emit.multiplyAdd(size, size, emit.constant(size, -1)));
  Value result =
      scaledLogarithm(emit, emit.sum(size, root), llvm::numbers::ln2);
  // No number below 1 is a cosine.
  Value isCosine = emit.isTrue(Predicate::OGE, x, 1.0);
  Value none = emit.constant(x, std::numeric_limits<double>::quiet_NaN());
  return emit.choose(isCosine, result, none);
}

/// log((1 + |x|) / (1 - |x|)) / 2
static Value inverseHyperbolicTangent(FunctionEmitter &emit, Value x) {
  Value size = emit.magnitude(emit.wide(x));
  Value one = emit.constant(size, 1);
  Value ratio = emit.quotient(emit.sum(one, size), emit.difference(one, size));
  Value result = scaledLogarithm(emit, ratio, llvm::numbers::ln2 / 2);
  return orItself(emit, x, result);
}

void mixattn::populateExponentials(RewritePatternSet &patterns) {
  patterns.add<FunctionToArithmetic<math::CoshOp, hyperbolicCosine>,
               FunctionToArithmetic<math::SinhOp, hyperbolicSine>,
               FunctionToArithmetic<math::ErfcOp, complementaryError>,
               FunctionToArithmetic<math::Log10Op, decimalLogarithm>,
               FunctionToArithmetic<math::AsinhOp, inverseHyperbolicSine>,
               FunctionToArithmetic<math::AcoshOp, inverseHyperbolicCosine>,
               FunctionToArithmetic<math::AtanhOp, inverseHyperbolicTangent>>(
      patterns.getContext());
}
