// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a plan of an attention.

#ifndef MIXATTN_DIALECT_ATTN_PLAN_H
#define MIXATTN_DIALECT_ATTN_PLAN_H

#include "llvm/ADT/Hashing.h"

#include <array>
#include <cstdint>
#include <limits>

namespace mixattn {

enum class Algorithm : uint32_t;

/// The sizes of an attention that a plan may ask for.
enum class PlanSize { Batch, Queries, Keys };

/// Sizes above `above` and not above `atMost`.
struct SizeRange {
  static constexpr int64_t unbounded = std::numeric_limits<int64_t>::max();

  int64_t above = -1, atMost = unbounded;

  bool isEverything() const { return above < 0 && atMost == unbounded; }
  bool contains(int64_t size) const { return size > above && size <= atMost; }
  friend bool operator==(const SizeRange &a, const SizeRange &b) {
    return a.above == b.above && a.atMost == b.atMost;
  }
};

/// How an attention of some sizes is computed.
struct PlanCase {
  /// For each PlanSize, which sizes this is for.
  std::array<SizeRange, 3> when;
  Algorithm algorithm;
  /// Queries that are computed side by side; keys that are scored before they
  /// are pooled, or rows of a chunk or piece; and keys that one thread takes. 0
  /// where the algorithm has none.
  int64_t lanes = 0, block = 0, split = 0;

  bool isUnconditional() const {
    for (const SizeRange &range : when)
      if (!range.isEverything())
        return false;
    return true;
  }
  bool holds(int64_t batch, int64_t queries, int64_t keys) const {
    return when[0].contains(batch) && when[1].contains(queries) &&
           when[2].contains(keys);
  }
  friend bool operator==(const PlanCase &a, const PlanCase &b) {
    return a.when == b.when && a.algorithm == b.algorithm &&
           a.lanes == b.lanes && a.block == b.block && a.split == b.split;
  }
  friend llvm::hash_code hash_value(const PlanCase &each) {
    llvm::hash_code hash = llvm::hash_combine(
        uint32_t(each.algorithm), each.lanes, each.block, each.split);
    for (const SizeRange &range : each.when)
      hash = llvm::hash_combine(hash, range.above, range.atMost);
    return hash;
  }
};

} // namespace mixattn

#endif // MIXATTN_DIALECT_ATTN_PLAN_H
