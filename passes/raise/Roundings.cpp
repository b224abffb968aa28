// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the op that rounds a tensor to 16 bits.

#include "passes/raise/Roundings.h"

using namespace mlir;

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
