// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedules that all families of GPUs have. Their namespace is not `gpu`:
// that is upstream's.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_SCHEDULES_H
#define MIXATTN_PASSES_SCHEDULE_GPU_SCHEDULES_H

#include "passes/plan/Schedule.h"

namespace mixattn::gpus {

/// Replaces a kernel of `attn.row_term` by a grid whose warps add up one row
/// after the other, a lane every 32nd feature.
///
/// The counts of the grid are blocks of rows, heads and components, batch.
void scheduleRowTerm(KernelOp kernel);

/// Replaces a kernel of `attn.row_factors` by a grid with a thread for each
/// row.
///
/// The counts of the grid are blocks of rows, heads, batch.
void scheduleRowFactors(KernelOp kernel);

/// Replaces a kernel of `attn.part_factors` by a grid with a warp for each row,
/// a lane every 32nd part.
///
/// The counts of the grid are queries, heads, batch.
void schedulePartFactors(KernelOp kernel);

/// Replaces a kernel of `attn.merge_parts` by a grid with a block for each row,
/// whose threads go over the parts in their order, a column each.
///
/// The counts of the grid are queries, heads, batch.
void scheduleMergeParts(KernelOp kernel);

std::unique_ptr<Schedule> makeBanded(TargetAttr target);
std::unique_ptr<Schedule> makeRowTerm(TargetAttr target);
std::unique_ptr<Schedule> makeRowFactors(TargetAttr target);
std::unique_ptr<Schedule> makePartFactors(TargetAttr target);
std::unique_ptr<Schedule> makeMergeParts(TargetAttr target);
std::unique_ptr<Schedule> makeUnfused(TargetAttr target);

/// Adds these schedules to `table`, below the ones that `family` has alone.
void addSchedules(ScheduleTable &table, TargetFamily family);

} // namespace mixattn::gpus

#endif // MIXATTN_PASSES_SCHEDULE_GPU_SCHEDULES_H
