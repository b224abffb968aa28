// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels by the cases of their plans.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_CASES_H
#define MIXATTN_PASSES_SCHEDULE_X86_CASES_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/x86/TileSizes.h"

namespace mixattn {

/// Checks that the schedules which the plan of `kernel` names can compute it,
/// in tiles of the sizes that it gives, or of the `usual` ones.
mlir::LogicalResult checkPlan(KernelOp kernel, const TileSizes &usual);

/// Replaces `kernel` by a test of its sizes for each case of its plan, and in
/// each case by the schedule that the plan names. Without a plan, and where the
/// plan leaves them open, tiles have the `usual` sizes.
void schedulePlan(KernelOp kernel, const TileSizes &usual);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_CASES_H
