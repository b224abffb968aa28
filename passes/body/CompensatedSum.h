// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that remember what they lose to rounding.

#ifndef MIXATTN_PASSES_BODY_COMPENSATED_SUM_H
#define MIXATTN_PASSES_BODY_COMPENSATED_SUM_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

struct CompensatedSum {
  mlir::Value sum, lost;
};

/// The sum of `before` and `added`, vectors of floats, and what it loses to
/// rounding, where the sum before has lost `lost` (Kahan 1965): the number of
/// sums does not show in the error. Of an infinite sum nothing is lost, rather
/// than inf - inf.
inline CompensatedSum addCompensated(mlir::ImplicitLocOpBuilder &b,
                                     mlir::Value before, mlir::Value added,
                                     mlir::Value lost) {
  using namespace mlir::arith;
  mlir::Value term = SubFOp::create(b, added, lost);
  mlir::Value sum = AddFOp::create(b, before, term);
  mlir::Value taken = SubFOp::create(b, sum, before);
  mlir::Value rest = SubFOp::create(b, taken, term);
  mlir::Value isKnown = CmpFOp::create(b, CmpFPredicate::ORD, rest, rest);
  mlir::Value zero = ConstantOp::create(b, b.getZeroAttr(rest.getType()));
  return {sum, SelectOp::create(b, isKnown, rest, zero)};
}

} // namespace mixattn

#endif // MIXATTN_PASSES_BODY_COMPENSATED_SUM_H
