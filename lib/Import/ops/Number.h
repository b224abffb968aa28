// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic as it is written on paper, for the bodies of pointwise ops.
#ifndef MIXATTN_LIB_IMPORT_OPS_NUMBER_H
#define MIXATTN_LIB_IMPORT_OPS_NUMBER_H

#include "lib/Import/ops/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mixattn {

/// A number, or a truth value, that is computed where operators are applied.
class Number {
public:
  Number(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value)
      : builder(&builder), loc(loc), value(value) {}

  operator mlir::Value() const { return value; }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(value.getType()); }

  /// A constant of the same type.
  Number like(double number) const;
  /// The result of an op on numbers.
  template <typename Op, typename... Others> Number by(Others... others) const {
    return {*builder, loc, Op::create(*builder, loc, value, others...)};
  }
  /// The same of floats and of integers.
  template <typename FloatOp, typename IntegerOp>
  Number either(const Number &other) const {
    return isFloat() ? by<FloatOp>(other.value) : by<IntegerOp>(other.value);
  }
  Number compare(mlir::arith::CmpFPredicate floats,
                 mlir::arith::CmpIPredicate integers,
                 const Number &other) const;

private:
  mlir::OpBuilder *builder;
  mlir::Location loc;
  mlir::Value value;
};

Number operator+(const Number &x, const Number &y);
Number operator-(const Number &x, const Number &y);
Number operator*(const Number &x, const Number &y);
/// Of integers rounded towards 0. CPUs stop a program that divides by 0, or the
/// least integer by -1, and one number must not end a whole service: the first
/// is 0 here, with a rest of 0, and the second the least integer, as it wraps.
Number operator/(const Number &x, const Number &y);
Number operator-(const Number &x);
Number operator<(const Number &x, const Number &y);
inline Number operator+(const Number &x, double y) { return x + x.like(y); }
inline Number operator-(const Number &x, double y) { return x - x.like(y); }
inline Number operator*(const Number &x, double y) { return x * x.like(y); }
inline Number operator/(const Number &x, double y) { return x / x.like(y); }
inline Number operator+(double x, const Number &y) { return y.like(x) + y; }
inline Number operator*(double x, const Number &y) { return y.like(x) * y; }
inline Number operator/(double x, const Number &y) { return y.like(x) / y; }
inline Number operator<(const Number &x, double y) { return x < x.like(y); }
inline Number operator<(double x, const Number &y) { return y.like(x) < y; }

/// `yes` where the truth value `condition` holds, else `no`.
Number choose(const Number &condition, const Number &yes, const Number &no);
/// The quotient of integers, rounded down.
Number flooredQuotient(const Number &x, const Number &y);
/// The rest of a quotient that is rounded towards 0.
Number remainder(const Number &x, const Number &y);
/// The larger and the smaller; NaN where one is.
Number largest(const Number &x, const Number &y);
Number smallest(const Number &x, const Number &y);
inline Number largest(const Number &x, double y) {
  return largest(x, x.like(y));
}
inline Number smallest(const Number &x, double y) {
  return smallest(x, x.like(y));
}

/// Truth values.
Number isEqual(const Number &x, const Number &y);
Number isNaN(const Number &x);
Number both(const Number &x, const Number &y);
Number either(const Number &x, const Number &y);

/// Functions of the dialect math.
Number exponential(const Number &x);
Number logarithm(const Number &x);
Number absolute(const Number &x);
Number squareRoot(const Number &x);

/// A function of numbers, one for each operand.
using NumberFunction = std::function<Number(llvm::ArrayRef<Number>)>;

/// A function of numbers as the body of a pointwise op.
NumberBody bodyOf(NumberFunction function);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_OPS_NUMBER_H
