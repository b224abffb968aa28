// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hyperbolic tangent, which score_mods and models compute for each number.

#include "passes/lower/gpu/FunctionEmitter.h"
#include "passes/lower/gpu/Lowerings.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mixattn;

/// x / y, 2 units off at most where both are normal and y is below 2^126 (PTX
/// ISA, div.approx.f32). One that is rounded once is much longer, and branches
/// for other numbers.
static Value nearQuotient(FunctionEmitter &emit, Value x, Value y) {
  return LLVM::CallIntrinsicOp::create(
             emit.b, x.getType(),
             emit.b.getStringAttr("llvm.nvvm.div.approx.ftz.f"),
             ValueRange{x, y})
      .getResult(0);
}

/// x p(x^2) / q(x^2), as Eigen's ptanh has it.
static Value hyperbolicTangent(FunctionEmitter &emit, Value x) {
  // Beyond, the result is 1 or -1; of NaN both bounds are NaN.
  constexpr double most = 7.99881172180175781;
  Value bounded = arith::MinimumFOp::create(emit.b, x, emit.constant(x, most));
  bounded = arith::MaximumFOp::create(emit.b, bounded, emit.constant(x, -most));
  Value square = emit.product(bounded, bounded);
  Value p =
      emit.polynomial(square, {-2.76076847742355e-16, 2.00018790482477e-13,
                               -8.60467152213735e-11, 5.12229709037114e-08,
                               1.48572235717979e-05, 6.37261928875436e-04,
                               4.89352455891786e-03});
  Value q =
      emit.polynomial(square, {1.19825839466702e-06, 1.18534705686654e-04,
                               2.26843463243900e-03, 4.89352518554385e-03});
  Value large = nearQuotient(emit, emit.product(bounded, p), q);
  // A quotient that is not rounded once may be beyond 1.
  large = arith::MinimumFOp::create(emit.b, large, emit.constant(x, 1));
  large = arith::MaximumFOp::create(emit.b, large, emit.constant(x, -1));
  // Below, x^3 / 3 does not count, and numerators may be too small for f32.
  constexpr double least = 0.0004;
  Value isSmall =
      emit.isTrue(FunctionEmitter::Predicate::OLT, emit.magnitude(x), least);
  return emit.choose(isSmall, x, large);
}

void mixattn::populateTanh(RewritePatternSet &patterns) {
  patterns.add<FunctionToArithmetic<math::TanhOp, hyperbolicTangent>>(
      patterns.getContext());
}
