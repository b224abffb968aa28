// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of tensors that a kernel of rows holds.

#ifndef MIXATTN_PASSES_SCHEDULE_ROW_SIZES_H
#define MIXATTN_PASSES_SCHEDULE_ROW_SIZES_H

#include "passes/schedule/RowLoops.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// The buffer or number outside of a kernel for a value of its region.
using OutsideOf = llvm::function_ref<mlir::Value(mlir::Value)>;

/// The size of dim `dim` of `tensor`, a value of a kernel's region.
mlir::Value emitSize(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor,
                     unsigned dim, OutsideOf outsideOf);

/// How many turns loop number `loop` of `loops` has.
mlir::Value emitLoopSize(mlir::ImplicitLocOpBuilder &b, const RowLoops &loops,
                         unsigned loop, OutsideOf outsideOf);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_ROW_SIZES_H
