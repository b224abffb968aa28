// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of elements in a GPU's memory.

#ifndef MIXATTN_PASSES_LOWER_NVPTX_DEVICE_BUFFERS_H
#define MIXATTN_PASSES_LOWER_NVPTX_DEVICE_BUFFERS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace mixattn {

/// Emits the address of `buffer[indices]`, a pointer of address space 1.
/// `buffer` is what a kernel was given, or a part of it.
///
/// Indices are of 32 bits on a GPU. Each is multiplied by its stride in 64.
/// What the leading dims add is a pointer of its own, which loops over the last
/// two leave alone.
mlir::Value emitDeviceAddress(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                              mlir::ValueRange indices);

/// Whether `buffer` is what a kernel was given, or a part of it.
bool isOnDevice(mlir::Value buffer);

/// Adds the patterns that turn sizes of device buffers, and loads from and
/// stores to them, into what the kernel was given.
void populateDeviceBuffers(mlir::RewritePatternSet &patterns);

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_NVPTX_DEVICE_BUFFERS_H
