// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops kernels hold.

#ifndef MIXATTN_PASSES_PLAN_KERNELS_H
#define MIXATTN_PASSES_PLAN_KERNELS_H

#include "passes/plan/Schedule.h"

namespace mixattn {

/// The ops of one kernel, in their order: an anchor, with those before and
/// after it in its block that `schedule` computes with it. Whoever else reads a
/// result of theirs comes after the last of them.
struct KernelOps {
  const Schedule *schedule;
  mlir::Operation *anchor;
  llvm::SmallVector<mlir::Operation *> members;
};

/// The kernels that ops in `root` become: first those that plans are made for,
/// by their plans or, without one, by the first schedule that takes them, with
/// what makes their rows if that schedule does so; then the other `linalg` ops.
/// No op is in two of them.
std::vector<KernelOps> findKernels(mlir::Operation *root,
                                   const Schedules &schedules);

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_KERNELS_H
