// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic of a softmax after its exponents, for every target.

#ifndef MIXATTN_PASSES_BODY_SOFTMAX_H
#define MIXATTN_PASSES_BODY_SOFTMAX_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// Emits the arithmetic of rows of weights, in arith and math on f32 or on
/// vectors of it. A row has a reference, a maximum of its exponents that the
/// schedule keeps (on x86 a lagged one), and the sum of the powers of 2 of
/// exponents less that. The schedule keeps both, and says how powers are
/// emitted.
class Softmax {
public:
  /// Emits 2 to the power of an f32 or of each of a vector.
  using Exp2 = mlir::Value (*)(mlir::ImplicitLocOpBuilder &, mlir::Value);

  Softmax(mlir::ImplicitLocOpBuilder &b, Exp2 exp2) : b(b), exp2(exp2) {}

  /// The weight of a key: the sum of the powers of its `exponents` less
  /// `reference`, or as they are without one.
  mlir::Value emitWeight(mlir::ValueRange exponents,
                         mlir::Value reference = {});
  /// The factor of all weights and sums where a row's reference moves from
  /// `before` up to `after`.
  mlir::Value emitRescale(mlir::Value before, mlir::Value after);

  /// The inverse of a row's sum; 0 of a row that sees nothing.
  static mlir::Value emitInverse(mlir::ImplicitLocOpBuilder &b,
                                 mlir::Value sum);
  /// The logarithm of the sum of a row's exponentials, to base e.
  static mlir::Value emitLogSum(mlir::ImplicitLocOpBuilder &b,
                                mlir::Value reference, mlir::Value sum);

private:
  mlir::ImplicitLocOpBuilder &b;
  Exp2 exp2;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_BODY_SOFTMAX_H
