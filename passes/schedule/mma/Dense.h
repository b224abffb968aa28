// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of contractions on mma.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_DENSE_H
#define MIXATTN_PASSES_SCHEDULE_MMA_DENSE_H

#include "passes/plan/Schedule.h"

namespace mixattn::mma {

/// Turns `kernel`, of a contraction of f16 or bf16, into a grid of blocks of
/// threads, which have at most `sharedBytes` bytes of shared memory. Each has
/// 128 rows or 64 of the result, 16 a warp and group, and up to 128 columns,
/// whose sums are in registers. Terms come a few at a time: copies of the next
/// steps are under way meanwhile. The kernel's pointwise ops are computed on
/// the sums before these are written.
///
/// Columns that do not fill the last block are those of the block before again.
///
/// The counts of the grid are blocks of rows, blocks of columns, batches.
void scheduleDense(KernelOp kernel, int64_t sharedBytes);

/// The record of this schedule.
std::unique_ptr<Schedule> makeDense(TargetAttr target);
/// The same for what the schedule of `better`, of the same target, does not
/// take.
std::unique_ptr<Schedule> makeDenseBelow(TargetAttr target,
                                         ScheduleTable::Factory better);

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_DENSE_H
