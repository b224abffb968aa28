// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedules that make tiles of scores: from a kernel to loops.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_ATTENTION_H
#define MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_ATTENTION_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/x86/shared/TileSizes.h"

namespace mixattn {

/// Replaces `kernel`, an attention without a mixer of weights, by tiles that
/// pass over the keys once: each block of weights is pooled as it is made.
void scheduleOnline(KernelOp kernel, const TileSizes &sizes);

/// Replaces `kernel`, an attention with a mixer of weights, by tiles that keep
/// the powers of all heads and keys in a panel of scratch, and then mix and
/// pool them block by block.
void schedulePanel(KernelOp kernel, const TileSizes &sizes);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_ATTENTION_H
