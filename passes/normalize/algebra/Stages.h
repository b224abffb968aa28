// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages that come before an attention's queries walk over its keys.

#ifndef MIXATTN_PASSES_NORMALIZE_ALGEBRA_STAGES_H
#define MIXATTN_PASSES_NORMALIZE_ALGEBRA_STAGES_H

#include "dialect/attn/AttnOps.h"

namespace mixattn {

/// Makes products and terms of Gaussians or shifted keys,
///
///   -|q - k - s_r|^2 / (2 v_r) = q . k / v_r + (q . s_r - |q|^2 / 2) / v_r
///                                - |k + s_r|^2 / (2 v_r),
///
/// and `attn.row_term` of the terms: without |q|^2 where nothing sees a
/// constant added to a row of scores (mixture of Gaussian keys, section 2.1).
/// A prior of Gaussian components becomes a part of the keys' term where each
/// key head serves one query head. Whether there was anything to do; projected
/// keys are left alone.
bool makeTerms(mlir::RewriterBase &rewriter, GenericOp op);

} // namespace mixattn

#endif // MIXATTN_PASSES_NORMALIZE_ALGEBRA_STAGES_H
