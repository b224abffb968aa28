// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clocks that a GPU takes for a block of keys.

#ifndef MIXATTN_PASSES_PLAN_BLOCK_CLOCKS_H
#define MIXATTN_PASSES_PLAN_BLOCK_CLOCKS_H

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdint>

namespace mixattn {

/// Clocks of one multiprocessor while a block of threads visits one block of
/// keys that all of its queries see: of each unit, if it alone took time.
/// Counted from the op and data sheets; nothing of it was measured.
struct BlockClocks {
  /// The stage that the block belongs to; none where a kernel is the whole.
  llvm::StringRef stage;
  /// Queries of the block of threads, and keys that it visits at a time; of a
  /// contraction rows and terms.
  int64_t queries = 0, keys = 0;
  /// Output heads of the block of threads, or columns of a contraction.
  int64_t heads = 1;
  /// Blocks of threads that share the columns of these heads.
  int64_t columnBlocks = 1;
  /// Turns of an inner loop, over heads that are weighed one after the other.
  int64_t turns = 1;
  /// Warps that compute on each quarter of a multiprocessor.
  int64_t warps = 1;
  /// Instructions of one warp: of tensor cores, and of the unit of exps.
  int64_t products = 0, exps = 0;
  /// Products of one warp, and clocks, that come in addition for a block of
  /// keys if some query keeps weights of it after the softmax; 0 where no
  /// weights are dropped.
  int64_t keptProducts = 0;
  double kept = 0;

  double tensor = 0, exp = 0, fma = 0, alu = 0, issue = 0, sharedMemory = 0;
  /// Clocks of the two products at the target's peak.
  double atPeak = 0;
  /// Bytes that the block asks the device's memory for, for a block of keys;
  /// and those of its queries, once.
  double copiedBytes = 0, queryBytes = 0;
  /// Those of the former that are given scores.
  double givenBytes = 0;

  /// No block is faster: all units work at the same time.
  double overlapped() const {
    return std::max({tensor, exp, fma, alu, issue, sharedMemory});
  }
  /// Exps wait for products, and products for exps.
  double serial() const { return std::max(tensor + exp, overlapped()); }
};

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_BLOCK_CLOCKS_H
