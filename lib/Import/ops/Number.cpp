// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of numbers as ops of arith and math.
#include "lib/Import/ops/Number.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

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

/// The integer that a value is known to be, or nothing.
static std::optional<llvm::APInt> integerOf(Value value) {
  llvm::APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number;
  unsigned width = value.getType().getIntOrFloatBitWidth();
  std::optional<llvm::APInt> inner;
  if (auto wide = value.getDefiningOp<arith::ExtSIOp>()) {
    if ((inner = integerOf(wide.getIn())))
      return inner->sext(width);
  } else if (auto narrow = value.getDefiningOp<arith::TruncIOp>()) {
    if ((inner = integerOf(narrow.getIn())))
      return inner->trunc(width);
  }
  return std::nullopt;
}

/// Whether each integer has a quotient by `divisor`.
static bool alwaysDivides(const Number &divisor) {
  std::optional<llvm::APInt> number = integerOf(divisor);
  return number && !number->isZero() && !number->isAllOnes();
}

/// The divisor, or 1 in place of 0 and of -1.
static Number heldDivisor(const Number &divisor) {
  Number isHeld = either(isEqual(divisor, divisor.like(0)),
                         isEqual(divisor, divisor.like(-1)));
  return choose(isHeld, divisor.like(1), divisor);
}

/// The quotient of integers as `Op` rounds it.
template <typename Op>
static Number quotient(const Number &x, const Number &y) {
  if (alwaysDivides(y))
    return x.by<Op>(Value(y));
  Number quotient = x.by<Op>(Value(heldDivisor(y)));
  Number held = choose(isEqual(y, y.like(-1)), -x, quotient);
  return choose(isEqual(y, y.like(0)), y.like(0), held);
}

Number mixattn::operator/(const Number &x, const Number &y) {
  return x.isFloat() ? x.by<arith::DivFOp>(Value(y))
                     : quotient<arith::DivSIOp>(x, y);
}

Number mixattn::flooredQuotient(const Number &x, const Number &y) {
  return quotient<arith::FloorDivSIOp>(x, y);
}

Number mixattn::remainder(const Number &x, const Number &y) {
  if (x.isFloat())
    return x.by<arith::RemFOp>(Value(y));
  return x.by<arith::RemSIOp>(Value(alwaysDivides(y) ? y : heldDivisor(y)));
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
