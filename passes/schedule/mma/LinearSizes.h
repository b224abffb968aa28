// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of the blocks of linear attention on mma.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_SIZES_H
#define MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_SIZES_H

#include "dialect/attn/AttnOps.h"
#include "dialect/tile/TileOps.h"
#include "passes/schedule/gpu/UnitCounts.h"

#include "llvm/Support/MathExtras.h"

#include <string>

namespace mixattn::mma {

/// The part of one linear attention that a block of threads has. It takes a
/// chunk of keys or queries at a time. All features of a head are its own, and
/// some of the columns of values.
///
/// A number of f32 is two of bf16, which has its range: itself rounded, and
/// what that leaves out. Tensor cores take both.
struct LinearSizes {
  /// Threads of a block, four warps; keys or queries of a chunk, 16 a warp.
  static constexpr int64_t threads = 128, chunk = 64;
  /// Columns in addition to those of values: the first is 1 of each key, whose
  /// sums are the denominators. The others are 0.
  static constexpr int64_t ones = 16;

  static LinearSizes of(LinearKeysOpInterface op);
  static LinearSizes of(LinearReadsOpInterface op);

  /// Why no block has room for them in `sharedBytes` bytes of shared memory, or
  /// nothing. It `hasKeys`, `hasReads`, or both.
  std::string whyNot(int64_t sharedBytes, bool hasKeys, bool hasReads) const;

  /// Columns of values and ones of a block, and blocks for all columns.
  int64_t width() const { return columns + ones; }
  int64_t columnBlocks() const {
    return int64_t(llvm::divideCeil(valueFeatures, columns));
  }

  /// The work of a block of `op` on one chunk: of its keys that its states take
  /// in, of its queries that read states, or of both where it is causal.
  BlockCounts countStates(LinearAttentionOpInterface op) const;
  BlockCounts countReads(LinearAttentionOpInterface op) const;
  BlockCounts countCausal(LinearAttentionOpInterface op) const;

  /// The bytes of the block's columns of a state, and of its totals.
  double bytesOfState() const {
    return double(features) * double(columns + 1) * sizeof(float);
  }

  int64_t features, valueFeatures;
  /// Components of keys.
  int64_t components = 1;
  /// Groups of 64 features.
  int64_t panels;
  /// Columns of values of a block.
  int64_t columns = 0;

private:
  /// The products of a warp, 16 rows of a chunk, by `columns` columns of
  /// another one: three for each pair of halves.
  static double productsOf(int64_t columns) {
    constexpr double ofHalves = 3;
    return ofHalves * double(columns) / 8 * double(chunk) / 16;
  }
  BlockCounts countBlock(UnitCounts warp) const;
  double bytesOfKeys(LinearKeysOpInterface op) const;
  double bytesOfQueries(LinearReadsOpInterface op) const;
  UnitCounts countFeatures(LinearAttentionOpInterface op, int64_t times) const;

  LinearSizes(int64_t features, int64_t valueFeatures);
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_SIZES_H
