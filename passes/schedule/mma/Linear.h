// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of linear attention on mma.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_H
#define MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_H

#include "passes/plan/Schedule.h"

namespace mixattn::mma {

/// Turns `kernel`, of `attn.linear_state`, into a grid of blocks of threads,
/// each of which sums up some columns of a head's state over all keys, 64 at a
/// time. Features are made as keys are read. The sums are in registers, with
/// what they lose.
///
/// The counts of the grids of linear attention are blocks of queries, heads and
/// blocks of columns, batch.
void scheduleLinearState(KernelOp kernel, int64_t sharedBytes);
/// The same of `attn.linear_add_states`: a thread adds up each number of all
/// spans, in their order.
void scheduleLinearAddStates(KernelOp kernel);
/// The same of `attn.linear_mix_states`: a thread for each number.
void scheduleLinearMixStates(KernelOp kernel);
/// The same of `attn.linear_read`: a block has 64 queries of a head.
void scheduleLinearRead(KernelOp kernel, int64_t sharedBytes);
/// The same of a causal `attn.linear_generic`, or of `attn.linear_causal_read`:
/// a block walks over the keys of a head, or of a span, 64 at a time, and over
/// the queries that are aligned with them. These read the state of the keys
/// before the chunk, and score its own.
void scheduleCausalLinear(KernelOp kernel, int64_t sharedBytes);

/// Adds `chunked_linear`, `spanned_linear` and their stages to those of
/// `family`: all GPUs have what they are made of.
void addLinear(ScheduleTable &table, TargetFamily family);

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_H
