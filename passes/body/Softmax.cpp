// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the arithmetic of a softmax after its exponents.

#include "passes/body/Softmax.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

/// `number`, or as many of it as `type` has elements.
static Value constant(ImplicitLocOpBuilder &b, Type type, double number) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(vector, float(number)));
  return arith::ConstantOp::create(b, b.getF32FloatAttr(number));
}

Value Softmax::emitWeight(ValueRange exponents, Value reference) {
  Value weight;
  for (Value exponent : exponents) {
    if (reference)
      exponent = arith::SubFOp::create(b, exponent, reference);
    Value power = exp2(b, exponent);
    weight =
        weight ? arith::AddFOp::create(b, weight, power).getResult() : power;
  }
  return weight;
}

Value Softmax::emitRescale(Value before, Value after) {
  return exp2(b, arith::SubFOp::create(b, before, after));
}

Value Softmax::emitInverse(ImplicitLocOpBuilder &b, Value sum) {
  Value none = constant(b, sum.getType(), 0);
  Value isEmpty =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, none);
  Value inverse = arith::DivFOp::create(b, constant(b, sum.getType(), 1), sum);
  return arith::SelectOp::create(b, isEmpty, none, inverse);
}

Value Softmax::emitLogSum(ImplicitLocOpBuilder &b, Value reference, Value sum) {
  // (reference + log2 sum) / log2 e
  Value log = arith::AddFOp::create(b, reference, math::Log2Op::create(b, sum));
  return arith::MulFOp::create(b, log,
                               constant(b, sum.getType(), llvm::numbers::ln2));
}
