// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds what is normalised over a dim as a softmax is.

#include "passes/raise/Softmaxes.h"

using namespace mlir;
using namespace mixattn;

std::optional<FoundSoftmax> mixattn::findSoftmax(Operation *op) {
  if (op->getName().getStringRef() != "linalg.softmax" ||
      op->getNumResults() != 1)
    return std::nullopt;
  auto axis = op->getAttrOfType<IntegerAttr>("dimension");
  return FoundSoftmax{op->getResult(0), op->getOperand(0),
                      unsigned(axis.getInt())};
}
