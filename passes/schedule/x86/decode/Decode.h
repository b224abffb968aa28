// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules for the stages of a few queries: from kernels to loops.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_DECODE_DECODE_H
#define MIXATTN_PASSES_SCHEDULE_X86_DECODE_DECODE_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/x86/shared/TileSizes.h"

namespace mixattn {

/// Replaces `kernel`, parts of the keys of an attention: powers and their sums,
/// and values where no weights mix. Gaussians are distances here, so that keys
/// are read once.
void scheduleParts(KernelOp kernel, const TileSizes &sizes);
/// Replaces `kernel`, values of parts that mixed weights pool.
void schedulePoolParts(KernelOp kernel, const TileSizes &sizes);
/// Replaces `kernel`, the factors of parts.
void schedulePartFactors(KernelOp kernel, const TileSizes &sizes);
/// Replaces `kernel`, the sums over parts.
void scheduleMergeParts(KernelOp kernel, const TileSizes &sizes);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_DECODE_DECODE_H
