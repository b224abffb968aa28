// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Squares of numbers in registers, transposed.

#ifndef MIXATTN_PASSES_BODY_TRANSPOSE_SQUARE_H
#define MIXATTN_PASSES_BODY_TRANSPOSE_SQUARE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// Emits the transpose of a square: as many vectors as each has lanes, a power
/// of two. Log2 of that steps, each of which swaps blocks on both sides of the
/// diagonal.
llvm::SmallVector<mlir::Value>
emitTransposed(mlir::ImplicitLocOpBuilder &b,
               llvm::SmallVector<mlir::Value> rows);

} // namespace mixattn

#endif // MIXATTN_PASSES_BODY_TRANSPOSE_SQUARE_H
