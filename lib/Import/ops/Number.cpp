// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of numbers as ops of arith and math.
#include "lib/Import/ops/Number.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

Number Number::like(double number) const {
  Type type = value.getType();
  // No integer is as large as infinity.
  bool isInteger = std::abs(number) < 0x1p63;
  TypedAttr attribute;
  if (isFloat())
    attribute = builder->getFloatAttr(type, number);
  else
    attribute = builder->getIntegerAttr(
        type, isInteger ? static_cast<int64_t>(number) : 0);
  return {*builder, loc, arith::ConstantOp::create(*builder, loc, attribute)};
}

Number Number::compare(arith::CmpFPredicate floats,
                       arith::CmpIPredicate integers,
                       const Number &other) const {
  if (isFloat())
    return {*builder, loc,
            arith::CmpFOp::create(*builder, loc, floats, value, other.value)};
  return {*builder, loc,
          arith::CmpIOp::create(*builder, loc, integers, value, other.value)};
}

Number mixattn::operator+(const Number &x, const Number &y) {
  return x.either<arith::AddFOp, arith::AddIOp>(y);
}

Number mixattn::operator-(const Number &x, const Number &y) {
  return x.either<arith::SubFOp, arith::SubIOp>(y);
}

Number mixattn::operator*(const Number &x, const Number &y) {
  return x.either<arith::MulFOp, arith::MulIOp>(y);
}

Number mixattn::operator/(const Number &x, const Number &y) {
  return x.either<arith::DivFOp, arith::DivSIOp>(y);
}

Number mixattn::operator-(const Number &x) {
  return x.isFloat() ? x.by<arith::NegFOp>() : x.like(0) - x;
}

Number mixattn::operator<(const Number &x, const Number &y) {
  return x.compare(arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt, y);
}

Number mixattn::choose(const Number &condition, const Number &yes,
                       const Number &no) {
  return condition.by<arith::SelectOp>(Value(yes), Value(no));
}

Number mixattn::largest(const Number &x, const Number &y) {
  return x.either<arith::MaximumFOp, arith::MaxSIOp>(y);
}

Number mixattn::smallest(const Number &x, const Number &y) {
  return x.either<arith::MinimumFOp, arith::MinSIOp>(y);
}

Number mixattn::isEqual(const Number &x, const Number &y) {
  return x.compare(arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq, y);
}

Number mixattn::isNaN(const Number &x) {
  return x.compare(arith::CmpFPredicate::UNO, arith::CmpIPredicate::ne, x);
}

Number mixattn::both(const Number &x, const Number &y) {
  return x.by<arith::AndIOp>(Value(y));
}

Number mixattn::either(const Number &x, const Number &y) {
  return x.by<arith::OrIOp>(Value(y));
}

Number mixattn::exponential(const Number &x) { return x.by<math::ExpOp>(); }

Number mixattn::logarithm(const Number &x) { return x.by<math::LogOp>(); }

Number mixattn::squareRoot(const Number &x) { return x.by<math::SqrtOp>(); }

Number mixattn::absolute(const Number &x) {
  return x.isFloat() ? x.by<math::AbsFOp>() : x.by<math::AbsIOp>();
}

NumberBody mixattn::bodyOf(NumberFunction function) {
  return [function = std::move(function)](OpBuilder &b, Location loc,
                                          ValueRange values) -> Value {
    SmallVector<Number> numbers;
    for (Value each : values)
      numbers.emplace_back(b, loc, each);
    return function(numbers);
  };
}
