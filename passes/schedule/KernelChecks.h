// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The preconditions that every schedule has on a kernel.

#ifndef MIXATTN_PASSES_SCHEDULE_KERNEL_CHECKS_H
#define MIXATTN_PASSES_SCHEDULE_KERNEL_CHECKS_H

#include "dialect/attn/AttnOps.h"

namespace mixattn {

/// Checks that the operands of `kernel` are buffers whose innermost elements
/// follow one another, and that what it computes takes nothing but them and
/// constants.
mlir::LogicalResult checkKernel(KernelOp kernel);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_KERNEL_CHECKS_H
