// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of elements in a GPU's memory.

#ifndef MIXATTN_PASSES_LOWER_GPU_DEVICE_BUFFERS_H
#define MIXATTN_PASSES_LOWER_GPU_DEVICE_BUFFERS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace mixattn {

/// Emits the address of `buffer[indices]`, a pointer of address space 1.
/// `buffer` is what a kernel was given, or any view of it: a part, with steps,
/// or the same elements with other dims.
///
/// Indices are of 32 bits on a GPU. Each is multiplied by its stride in 64.
/// The offset of the leading dims makes a pointer of its own, which loops over
/// the last two leave alone.
mlir::Value emitDeviceAddress(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                              mlir::ValueRange indices);

/// Emits the bytes from an element of such a `buffer` to the next one along
/// `dim`, an i64.
mlir::Value emitDeviceStride(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                             int64_t dim);

/// Whether `buffer` is what a kernel was given, or a view of it.
bool isOnDevice(mlir::Value buffer);

/// Whether `value` is no buffer, or one of the device's memory with rows of
/// elements that follow each other.
bool isRow(mlir::Value value);

/// The bytes, `most` at most and a power of two, that divide each row of
/// `matrix` and of what it is a view of, and its offset there: pieces of so
/// many are aligned in every row if what the kernel was given is.
int64_t bytesDividingRows(mlir::Value matrix, int64_t most);

/// The bytes, a power of two, that divide the address of a piece of a row of
/// `matrix` which is loaded or stored at once: those of the piece, a power of
/// two, or what rows and offsets have. A vector's pieces lie at multiples of
/// their own bytes.
int64_t alignmentOfPiece(mlir::Value matrix, mlir::VectorType type);

/// Checks that rows of the device's memory, which the ops `Ops` under `root`
/// name, are of what a kernel was given.
template <typename... Ops>
mlir::LogicalResult checkRows(mlir::Operation *root) {
  mlir::WalkResult result = root->walk([](mlir::Operation *op) {
    if (!llvm::isa<Ops...>(op) || llvm::all_of(op->getOperands(), isRow))
      return mlir::WalkResult::advance();
    op->emitOpError("expected rows of a 'tile.device_buffer' whose elements "
                    "follow each other");
    return mlir::WalkResult::interrupt();
  });
  return mlir::failure(result.wasInterrupted());
}

/// Adds the patterns that turn sizes of device buffers, and loads from and
/// stores to them, into what the kernel was given.
void populateDeviceBuffers(mlir::RewritePatternSet &patterns);

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_GPU_DEVICE_BUFFERS_H
