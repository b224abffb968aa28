// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedules for NVIDIA's GPUs.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_SCHEDULES_H
#define MIXATTN_PASSES_SCHEDULE_MMA_SCHEDULES_H

#include "passes/plan/Schedule.h"

namespace mixattn::mma {

/// Turns `kernel`, on buffers, into a grid of blocks of threads.
///
/// Four warps share 128 queries of one head, or 64 of a group of heads whose
/// scores are mixed from those of all channels. Each warp holds 32 or 16 of
/// them, its scores and its outputs in registers, and walks over blocks of
/// keys: while one block is worked on, the next is copied to shared memory, of
/// which a block takes at most `sharedBytes` bytes. Any number of queries and
/// keys will do. Head sizes are multiples of 16, up to 256; queries, keys and
/// values are f16 or bf16, and their rows aligned to 16 bytes.
///
/// The counts of the grid are blocks of queries, groups of heads, batch.
///
/// Of every eight weights the unit of exponentials computes `exps`, and
/// polynomials the others.
void scheduleOnline(KernelOp kernel, int64_t sharedBytes, int64_t exps);

/// Adds every schedule for GPUs to `table`.
void addSchedules(ScheduleTable &table);

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_SCHEDULES_H
