// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The terms of rows that scores which are no products take.

#include "passes/body/Terms.h"

#include "passes/body/Body.h"

using namespace mlir;
using namespace mixattn;

Terms mixattn::findTerms(GenericOp op) {
  auto attention = cast<AttentionOpInterface>(op.getOperation());
  Terms terms;
  for (int64_t r = 0; r < attention.getNumComponents(); ++r)
    terms.variances.push_back(
        op.getGaussian() || op.getVariances() ? attention.getVariance(r) : 1.0);
  terms.hasQuerySquare =
      op.getGaussian() &&
      !(llvm::all_equal(terms.variances) && attention.isRowShiftInvariant());
  terms.ofQueries = op.getShifts() || terms.hasQuerySquare;
  terms.ofKeys = bool(op.getGaussian());
  terms.takesPrior = Body::takesPrior(attention);
  return terms;
}
