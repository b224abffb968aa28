// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Projected keys and values, as kernels.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_STAGES_PROJECTIONS_H
#define MIXATTN_PASSES_SCHEDULE_X86_STAGES_PROJECTIONS_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/x86/shared/TileSizes.h"

namespace mixattn {

/// Replaces a kernel of `attn.project`.
void scheduleProjection(KernelOp kernel, const TileSizes &sizes);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_STAGES_PROJECTIONS_H
