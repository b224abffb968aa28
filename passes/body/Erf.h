// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The error function by arithmetic.

#ifndef MIXATTN_PASSES_BODY_ERF_H
#define MIXATTN_PASSES_BODY_ERF_H

#include "mlir/IR/PatternMatch.h"

namespace mixattn {

/// Adds the pattern that makes multiplications, additions and an exp2 of
/// `math.erf` of f32, or of vectors of them.
void populateErf(mlir::RewritePatternSet &patterns);

} // namespace mixattn

#endif // MIXATTN_PASSES_BODY_ERF_H
