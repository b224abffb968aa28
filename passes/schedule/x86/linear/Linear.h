// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedule for linear attention: from a kernel to loops.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_LINEAR_LINEAR_H
#define MIXATTN_PASSES_SCHEDULE_X86_LINEAR_LINEAR_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/x86/shared/TileSizes.h"

namespace mixattn {

/// Replaces `kernel`, a linear attention, by chunks of keys that add to the
/// states of their heads and chunks of queries that read them. Where an MLP
/// mixes states there is no causal mask.
void scheduleLinear(KernelOp kernel, const TileSizes &sizes);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_LINEAR_LINEAR_H
