// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps over the elements of fragments.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_FRAGMENT_MAP_H
#define MIXATTN_PASSES_SCHEDULE_GPU_FRAGMENT_MAP_H

#include "dialect/tile/TileOps.h"

namespace mixattn {

/// Emits the results of one element, from its row, its column and the elements
/// of the operands.
using FragmentElement = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::Value row, mlir::Value column, mlir::ValueRange elements)>;

/// Fragments of f32, `results` of them, made element by element of `operands`,
/// whose first element is in `row` and `column`.
llvm::SmallVector<mlir::Value>
emitFragmentMap(mlir::ImplicitLocOpBuilder &b, mlir::Value row,
                mlir::Value column, mlir::ValueRange operands, size_t results,
                FragmentElement element);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_GPU_FRAGMENT_MAP_H
