// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What keys and values are projected to, in front of a kernel.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_PROJECTIONS_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_PROJECTIONS_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/x86/shared/TileSizes.h"

namespace mixattn {

/// Computes in front of `kernel` what its keys and values are projected to, if
/// they are; gives the kernel, which reads that.
KernelOp scheduleProjections(KernelOp kernel, const TileSizes &sizes);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_PROJECTIONS_H
