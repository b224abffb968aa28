// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terms of queries and keys, in front of a kernel.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_TERMS_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_TERMS_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/x86/shared/TileSizes.h"

namespace mixattn {

/// Makes a kernel of products and terms from one of Gaussians or shifted keys,
///
///   -|q - k - s_r|^2 / (2 v_r) = q . k / v_r + (q . s_r - |q|^2 / 2) / v_r
///                                - |k + s_r|^2 / (2 v_r),
///
/// and computes the terms in front of it: without |q|^2 where nothing sees a
/// constant added to a row of scores (mixture of Gaussian keys, section 2.1).
/// Gives the kernel, or the one that needs none.
KernelOp scheduleTerms(KernelOp kernel, const TileSizes &sizes);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_TERMS_H
