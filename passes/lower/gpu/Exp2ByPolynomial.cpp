// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Powers of 2 on the unit of multiply-adds.

#include "passes/lower/gpu/Lowerings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mixattn;

/// x is an integer n and a rest: a polynomial of the rest, times 2^n, which n
/// in the exponent's place is. The product keeps NaN what it is.
Value mixattn::emitExp2ByPolynomial(ImplicitLocOpBuilder &b, Value x) {
  auto number = [&](float value) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  };
  auto integer = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  };
  // n is -127 at least: all bits of its power are 0.
  Value bounded = arith::MaximumFOp::create(b, x, number(-127.0f));
  // Near 1.5 * 2^23 the last bit of an f32 counts ones: the sum ends in n.
  Value ones = number(12582912.0f);
  Value sum = arith::AddFOp::create(b, bounded, ones);
  Value rest =
      arith::SubFOp::create(b, bounded, arith::SubFOp::create(b, sum, ones));
  // Minimax over [-1/2, 1/2], relative: 2^-23.7, and 2^-22.2 in f32.
  Value p = number(0.00132764725f);
  for (float c :
       {0.00967554096f, 0.0555071309f, 0.240221202f, 0.693146944f, 1.00000012f})
    p = math::FmaOp::create(b, p, rest, number(c));
  constexpr int32_t exponentPlace = 23, exponentOfOne = 127;
  Value bits = arith::BitcastOp::create(b, b.getI32Type(), sum);
  bits = arith::AddIOp::create(
      b, arith::ShLIOp::create(b, bits, integer(exponentPlace)),
      integer(exponentOfOne << exponentPlace));
  Value power = arith::BitcastOp::create(b, b.getF32Type(), bits);
  return arith::MulFOp::create(b, p, power);
}
