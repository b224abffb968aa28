// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules for linear attention: from kernels to loops.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_LINEAR_LINEAR_H
#define MIXATTN_PASSES_SCHEDULE_X86_LINEAR_LINEAR_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/x86/shared/TileSizes.h"

namespace mixattn {

/// Replaces `kernel`, a causal linear attention, by chunks of queries that read
/// the states after earlier chunks of keys, and their own keys.
void scheduleCausalLinear(KernelOp kernel, const TileSizes &sizes);

/// Replaces `kernel`, an op of its own of a linear attention that is not
/// causal: chunks of keys that add to the states of their heads, an MLP that
/// mixes states, chunks of queries that read them.
void scheduleLinearState(KernelOp kernel, const TileSizes &sizes);
void scheduleLinearMixStates(KernelOp kernel, const TileSizes &sizes);
void scheduleLinearRead(KernelOp kernel, const TileSizes &sizes);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_LINEAR_LINEAR_H
