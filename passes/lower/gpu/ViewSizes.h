// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of views of buffers.

#ifndef MIXATTN_PASSES_LOWER_GPU_VIEW_SIZES_H
#define MIXATTN_PASSES_LOWER_GPU_VIEW_SIZES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// Emits the size of `dim` of `buffer`: what a view was made with, or what
/// follows from sizes of the buffer that it is a view of.
mlir::Value emitSize(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                     int64_t dim);

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_GPU_VIEW_SIZES_H
