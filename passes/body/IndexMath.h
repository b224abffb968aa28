// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on positions and sizes, folded where numbers are known.

#ifndef MIXATTN_PASSES_BODY_INDEX_MATH_H
#define MIXATTN_PASSES_BODY_INDEX_MATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// Emits index arithmetic at a builder's place. Numbers stand for themselves.
class IndexMath {
public:
  /// A value of index type, or a number.
  using Index = mlir::OpFoldResult;

  explicit IndexMath(mlir::ImplicitLocOpBuilder &b) : b(b) {}

  mlir::Value value(Index index) {
    if (auto known = llvm::dyn_cast<mlir::Value>(index))
      return known;
    return mlir::arith::ConstantIndexOp::create(
        b, *mlir::getConstantIntValue(index));
  }
  mlir::Value value(int64_t number) { return value(b.getIndexAttr(number)); }

  template <typename L, typename R> mlir::Value add(L left, R right) {
    return fold<mlir::arith::AddIOp>(left, right);
  }
  template <typename L, typename R> mlir::Value sub(L left, R right) {
    return fold<mlir::arith::SubIOp>(left, right);
  }
  template <typename L, typename R> mlir::Value mul(L left, R right) {
    return fold<mlir::arith::MulIOp>(left, right);
  }
  /// The quotient and the remainder of numbers from 0 on.
  template <typename L, typename R> mlir::Value div(L left, R right) {
    return fold<mlir::arith::DivUIOp>(left, right);
  }
  template <typename L, typename R> mlir::Value rem(L left, R right) {
    return fold<mlir::arith::RemUIOp>(left, right);
  }
  template <typename L, typename R> mlir::Value min(L left, R right) {
    return fold<mlir::arith::MinSIOp>(left, right);
  }
  template <typename L, typename R> mlir::Value max(L left, R right) {
    return fold<mlir::arith::MaxSIOp>(left, right);
  }
  template <typename L, typename R>
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, L left, R right) {
    return b.createOrFold<mlir::arith::CmpIOp>(predicate, value(left),
                                               value(right));
  }

private:
  template <typename Op, typename L, typename R>
  mlir::Value fold(L left, R right) {
    return b.createOrFold<Op>(value(left), value(right));
  }

  mlir::ImplicitLocOpBuilder &b;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_BODY_INDEX_MATH_H
