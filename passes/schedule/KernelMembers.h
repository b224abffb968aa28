// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops a kernel holds.

#ifndef MIXATTN_PASSES_SCHEDULE_KERNEL_MEMBERS_H
#define MIXATTN_PASSES_SCHEDULE_KERNEL_MEMBERS_H

#include "passes/plan/Schedule.h"

namespace mixattn {

/// `anchor` and the ops after it that `schedule` computes in one kernel.
/// Whoever else reads a result of theirs comes after the last of them.
llvm::SmallVector<mlir::Operation *> findMembers(mlir::Operation *anchor,
                                                 const Schedule &schedule);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_KERNEL_MEMBERS_H
