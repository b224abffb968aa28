// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the op that rounds a tensor to 16 bits, and what a tensor is widened
// from.

#include "passes/raise/Roundings.h"

using namespace mlir;

Type mixattn::narrowType(Value value) {
  Type type = getElementTypeOrSelf(value);
  if (isNarrow(type))
    return type;
  while (isReshape(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  linalg::GenericOp cast = asCast<arith::ExtFOp>(value.getDefiningOp());
  type = cast ? getElementTypeOrSelf(cast.getDpsInputs()[0]) : Type();
  return isNarrow(type) ? type : Type();
}

linalg::GenericOp mixattn::findRounding(Value value, Type type) {
  while (value.hasOneUse() && isReshape(*value.user_begin()))
    value = value.user_begin()->getResult(0);
  if (!value.hasOneUse())
    return {};
  linalg::GenericOp cast = asCast<arith::TruncFOp>(*value.user_begin());
  return cast && getElementTypeOrSelf(cast->getResult(0)) == type
             ? cast
             : linalg::GenericOp();
}
