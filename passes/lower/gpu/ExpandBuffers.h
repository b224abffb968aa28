// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers of kernels with more dims.

#ifndef MIXATTN_PASSES_LOWER_GPU_EXPAND_BUFFERS_H
#define MIXATTN_PASSES_LOWER_GPU_EXPAND_BUFFERS_H

#include "mlir/IR/Region.h"

namespace mixattn {

/// Puts a buffer with these dims in the place of each op of `kernel` that splits
/// dims of what the kernel was given.
void expandBuffers(mlir::Region &kernel);

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_GPU_EXPAND_BUFFERS_H
