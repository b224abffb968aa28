// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wraps ops as kernels on tensors.

#ifndef MIXATTN_PASSES_SCHEDULE_KERNEL_MAKER_H
#define MIXATTN_PASSES_SCHEDULE_KERNEL_MAKER_H

#include "mlir/IR/Operation.h"

namespace mixattn {

/// Wraps `members`, an anchor and ops around it in one block, in their order,
/// as a kernel into new tensors, at the place of the last one. Its results are
/// those that other ops read, all of which come later, and those of the last
/// member. `loc` is the anchor's place.
void makeKernel(llvm::ArrayRef<mlir::Operation *> members, mlir::Location loc);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_KERNEL_MAKER_H
