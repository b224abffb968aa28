// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queries whose weights are all dropped after the softmax.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_DROPPED_ROWS_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_DROPPED_ROWS_H

#include "passes/schedule/KeyRange.h"

namespace mixattn {

/// Writes 0 to row i of `target`, a matrix of results [queries, features] in
/// batch row `batch`, for each query i of `count` from `first` on all of whose
/// keys lie outside of the band that `keep` keeps. Its result is 0 even where
/// the sum of its weights is not a number. Emits nothing for an op that keeps
/// all weights.
void emitDroppedRows(mlir::ImplicitLocOpBuilder &b, AttentionOpInterface op,
                     KernelBuffers &buffers, mlir::Value target,
                     mlir::Value batch, mlir::Value first, mlir::Value count);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_DROPPED_ROWS_H
