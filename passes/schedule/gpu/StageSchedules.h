// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of stages that come before an attention, for all GPUs.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_STAGE_SCHEDULES_H
#define MIXATTN_PASSES_SCHEDULE_GPU_STAGE_SCHEDULES_H

#include "passes/plan/Schedule.h"

namespace mixattn::gpus {

/// Replaces a kernel of `attn.row_term` by a grid whose warps add up one row
/// after the other, a lane every 32nd feature.
///
/// The counts of the grid are blocks of rows, heads and components, batch.
void scheduleRowTerm(KernelOp kernel);

/// Adds the schedules of stages for a `family` of GPUs to `table`.
void addStages(ScheduleTable &table, TargetFamily family);

/// Adds the plain path on a `family` of GPUs to `table`: the last that a plan
/// may choose.
void addUnfused(ScheduleTable &table, TargetFamily family);

} // namespace mixattn::gpus

#endif // MIXATTN_PASSES_SCHEDULE_GPU_STAGE_SCHEDULES_H
