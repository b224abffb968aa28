// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far terms of components may lie apart where one power of 2 serves all.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_COLLAPSE_H
#define MIXATTN_PASSES_SCHEDULE_GPU_COLLAPSE_H

#include "dialect/attn/AttnOps.h"

#include <optional>

namespace mixattn {

/// The limits of an attention whose components collapse (Body::collapses), as
/// logarithms to base 2.
///
/// A weight is 2^(e - m) f: m is the row's reference, and f a sum of products
/// of factors, of queries (the largest 2^headroom) and of keys (the largest 1).
/// Where the largest factor of a query's is at most 2^spread times the least,
/// f lies between 2^(headroom - spread) and R 2^headroom for R components. Let
/// m be e at most, and e at most m + slack for all keys so far.
///
/// bf16 has the exponents of f32. The row's sum is at least 2^-64 then, and
/// what exp2 flushes, below 2^-126, is less than 2^-62 of it for each key.
/// Weights are R 2^16 at most, as without the collapse.
///
/// f16 ends at 2^16 and keeps no power below 2^-24. Headroom makes the row's
/// sum 1 at least, so that what gets lost is as little as without the collapse.
/// Weights are R 2^(3 + 10) at most: up to 7 components.
struct Collapse {
  double spread, headroom, slack;

  /// Those of `op`; none where it does not collapse, or where registers have no
  /// room for it: its components are summed as those of others.
  static std::optional<Collapse> of(AttentionOpInterface op);
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_GPU_COLLAPSE_H
