// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The preconditions that every schedule has on a kernel.

#ifndef MIXATTN_PASSES_SCHEDULE_KERNEL_CHECKS_H
#define MIXATTN_PASSES_SCHEDULE_KERNEL_CHECKS_H

#include "passes/plan/Schedule.h"

namespace mixattn {

/// The plan of what `kernel` computes; the first schedule that takes it where
/// it has none, and no case where no schedule does.
llvm::SmallVector<PlanCase> casesOf(KernelOp kernel,
                                    const Schedules &schedules);

/// Checks that the operands of `kernel` are buffers whose innermost elements
/// follow one another, that what it computes takes nothing but them and
/// constants, and that `schedules` compute it as it is planned.
mlir::LogicalResult checkKernel(KernelOp kernel, const Schedules &schedules);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_KERNEL_CHECKS_H
