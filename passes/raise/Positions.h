// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons of positions.

#ifndef MIXATTN_PASSES_RAISE_POSITIONS_H
#define MIXATTN_PASSES_RAISE_POSITIONS_H

#include "passes/raise/Expression.h"

namespace mixattn {

/// Bounds on how far a key lies from its query: `-after <= i - j <= before`, i
/// being counted from `start`, an element of integers, or from 0 where it is
/// null.
struct Distance {
  std::optional<int64_t> before, after;
  Expressions::Ref start = nullptr;
};

/// The bounds that `condition`, or where `isSeen` is false its contrary, is;
/// or none. The positions are those of `query` and `key`.
std::optional<Distance> readDistance(Expressions &make,
                                     Expressions::Ref condition, bool isSeen,
                                     llvm::ArrayRef<Atom> query,
                                     llvm::ArrayRef<Atom> key);

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_POSITIONS_H
