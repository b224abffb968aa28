// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedules for x86: from a kernel to loops over its tiles.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SCHEDULES_H
#define MIXATTN_PASSES_SCHEDULE_X86_SCHEDULES_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/x86/TileSizes.h"

namespace mixattn {

/// Computes in front of `kernel` what its keys and values are projected to, if
/// they are; gives the kernel, which reads that.
KernelOp scheduleProjections(KernelOp kernel, const TileSizes &sizes);

/// Makes a kernel of products and terms from one of Gaussians or shifted keys,
///
///   -|q - k - s_r|^2 / (2 v_r) = q . k / v_r + (q . s_r - |q|^2 / 2) / v_r
///                                - |k + s_r|^2 / (2 v_r),
///
/// and computes the terms in front of it: without |q|^2 where nothing sees a
/// constant added to a row of scores (mixture of Gaussian keys, section 2.1).
/// Gives the kernel, or the one that needs none.
KernelOp scheduleTerms(KernelOp kernel, const TileSizes &sizes);

/// Replaces `kernel`, an attention without a mixer of weights, by tiles that
/// pass over the keys once: each block of weights is pooled as it is made.
void scheduleOnline(KernelOp kernel, const TileSizes &sizes);

/// Replaces `kernel`, an attention with a mixer of weights, by tiles that keep
/// the powers of all heads and keys in a panel of scratch, and then mix and
/// pool them block by block.
void schedulePanel(KernelOp kernel, const TileSizes &sizes);

/// Replaces `kernel`, an attention of a few queries, by parts of at most
/// `split` keys that pass over them at once, and sums of what the parts give.
/// `sizes.block` keys are scored before they are pooled; it divides `split`.
/// Gaussians are distances here, so that keys are read once.
void scheduleDecode(KernelOp kernel, const TileSizes &sizes, int64_t split);

/// Replaces `kernel`, a linear attention, by chunks of keys that add to the
/// states of their heads and chunks of queries that read them. Where an MLP
/// mixes states there is no causal mask.
void scheduleLinear(KernelOp kernel, const TileSizes &sizes);

/// Replaces `kernel`, a pool whose weights are given, by pieces of
/// `sizes.block` rows of one head: the band or copies, the sparse error on top
/// of them, and quotients. In addition to tables of windows and errors it takes
/// a piece of memory for each thread.
void scheduleBanded(KernelOp kernel, const TileSizes &sizes);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_SCHEDULES_H
