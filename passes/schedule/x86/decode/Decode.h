// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedule for a few queries: from a kernel to loops.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_DECODE_DECODE_H
#define MIXATTN_PASSES_SCHEDULE_X86_DECODE_DECODE_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/x86/shared/TileSizes.h"

namespace mixattn {

/// Replaces `kernel`, an attention of a few queries, by parts of at most
/// `split` keys that pass over them at once, and sums of what the parts give.
/// `sizes.block` keys are scored before they are pooled; it divides `split`.
/// Gaussians are distances here, so that keys are read once.
void scheduleDecode(KernelOp kernel, const TileSizes &sizes, int64_t split);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_DECODE_DECODE_H
