// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows schedule of GPUs: ops that the rows of a tensor go through.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_ROWS_H
#define MIXATTN_PASSES_SCHEDULE_GPU_ROWS_H

#include "passes/plan/Schedule.h"

namespace mixattn::gpus {

/// Replaces a kernel of `linalg` ops by a grid whose warps have a row each; or,
/// where no op adds up a row, whose blocks have a piece of a row each.
///
/// The counts of the grid are blocks of rows; or rows, and pieces of a row.
void scheduleRows(KernelOp kernel);

std::unique_ptr<Schedule> makeRows(TargetAttr target);

} // namespace mixattn::gpus

#endif // MIXATTN_PASSES_SCHEDULE_GPU_ROWS_H
