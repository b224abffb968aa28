// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Powers of two that bring numbers into the range of f16.

#include "passes/schedule/mma/PowerOfTwo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mixattn;

/// The bits of an f32: those of its mantissa, and all but the sign.
static constexpr int64_t mantissaBits = 23, withoutSign = 0x7FFFFFFF;
/// The sum of biased exponents of a power of two and its inverse.
static constexpr int64_t exponentsOfInverses = 254;

static Value emitInteger(ImplicitLocOpBuilder &b, int64_t number) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(number)));
}

Value mma::emitPowerOfTwo(ImplicitLocOpBuilder &b, Value bound,
                          int64_t exponent) {
  Value bits = arith::BitcastOp::create(b, b.getI32Type(), bound);
  bits = arith::AndIOp::create(b, bits, emitInteger(b, withoutSign));
  Value own = arith::ShRUIOp::create(b, bits, emitInteger(b, mantissaBits));
  // `bound` is less than the power of two after its own.
  Value power = arith::SubIOp::create(
      b, emitInteger(b, exponentsOfInverses - 1 + exponent), own);
  power = arith::MaxSIOp::create(b, power, emitInteger(b, 1));
  power =
      arith::MinSIOp::create(b, power, emitInteger(b, exponentsOfInverses - 1));
  power = arith::ShLIOp::create(b, power, emitInteger(b, mantissaBits));
  return arith::BitcastOp::create(b, b.getF32Type(), power);
}

Value mma::emitInverseOfPower(ImplicitLocOpBuilder &b, Value power) {
  Value bits = arith::BitcastOp::create(b, b.getI32Type(), power);
  bits = arith::SubIOp::create(
      b, emitInteger(b, exponentsOfInverses << mantissaBits), bits);
  return arith::BitcastOp::create(b, b.getF32Type(), bits);
}
