// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Powers of two that bring numbers into the range of f16.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_POWER_OF_TWO_H
#define MIXATTN_PASSES_SCHEDULE_MMA_POWER_OF_TWO_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn::mma {

/// Weights that are at most this power of two have no number beyond those of
/// f16, and few that f16 has no full precision for.
constexpr int64_t mostOfF16 = 15;

/// The sum of biased exponents of a power of two and its inverse.
constexpr int64_t exponentsOfInverses = 254;

inline mlir::Value emitInteger(mlir::ImplicitLocOpBuilder &b, int64_t number) {
  return mlir::arith::ConstantOp::create(b,
                                         b.getI32IntegerAttr(int32_t(number)));
}

/// The largest power of two, an f32 that has an inverse, by which `bound` is at
/// most 2^`exponent`.
inline mlir::Value emitPowerOfTwo(mlir::ImplicitLocOpBuilder &b,
                                  mlir::Value bound, int64_t exponent) {
  using namespace mlir::arith;
  constexpr int64_t mantissa = 23, sign = 0x7FFFFFFF;
  mlir::Value bits = BitcastOp::create(b, b.getI32Type(), bound);
  bits = AndIOp::create(b, bits, emitInteger(b, sign));
  mlir::Value own = ShRUIOp::create(b, bits, emitInteger(b, mantissa));
  // `bound` is less than the power of two after its own.
  mlir::Value power = SubIOp::create(
      b, emitInteger(b, exponentsOfInverses - 1 + exponent), own);
  power = MaxSIOp::create(b, power, emitInteger(b, 1));
  power = MinSIOp::create(b, power, emitInteger(b, exponentsOfInverses - 1));
  power = ShLIOp::create(b, power, emitInteger(b, mantissa));
  return BitcastOp::create(b, b.getF32Type(), power);
}

/// 1 / `power`, a power of two that has an inverse.
inline mlir::Value emitInverseOfPower(mlir::ImplicitLocOpBuilder &b,
                                      mlir::Value power) {
  using namespace mlir::arith;
  constexpr int64_t mantissa = 23;
  mlir::Value bits = BitcastOp::create(b, b.getI32Type(), power);
  bits =
      SubIOp::create(b, emitInteger(b, exponentsOfInverses << mantissa), bits);
  return BitcastOp::create(b, b.getF32Type(), bits);
}

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_POWER_OF_TWO_H
