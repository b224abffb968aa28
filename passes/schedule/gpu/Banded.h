// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools whose weights are given, on a GPU.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_BANDED_H
#define MIXATTN_PASSES_SCHEDULE_GPU_BANDED_H

#include "dialect/attn/AttnOps.h"

namespace mixattn::gpus {

/// Warps of a block that pools, and rows of a warp: next to them a band's own
/// are few, and there are enough warps to wait for memory.
constexpr int64_t bandedWarps = 4, bandedRows = 64;
/// Features of a block: two a lane, which lie side by side where their number
/// is even, so that one load reads both.
constexpr int64_t mostBandedFeatures = 64;

/// Places of a band on either side of its middle, at most: a warp's lanes have
/// weights of one row, and registers the values that its places read.
constexpr int64_t mostHalfWidth = 15;

/// Replaces a kernel of `attn.structured_pool` by a grid whose warps have rows
/// of one head, a feature or two a lane. They go over their rows in order, with
/// the values that a band reads in registers: each value is read once by a
/// warp, and by its neighbours where bands meet. A row takes its band's terms
/// from left to right, then errors in the order of the table. Sums of rows are
/// f64.
///
/// The counts of the grid are blocks of rows, heads times blocks of features,
/// batch.
void scheduleBanded(KernelOp kernel);

} // namespace mixattn::gpus

#endif // MIXATTN_PASSES_SCHEDULE_GPU_BANDED_H
