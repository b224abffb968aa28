// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors on scores: what queries and keys of 16 bits are multiplied by, such
// as a scale of each head.

#include "passes/raise/MatchAttention.h"
#include "passes/raise/Roundings.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

void AttentionMatcher::takeScoreFactors() {
  RawScore &raw = scores.raw;
  if (!takesFactors || raw.isGiven || raw.isRectified || raw.hidden ||
      !raw.components.empty() || !raw.mixers.empty() || !raw.others.empty())
    return;
  Place depth = flat(raw.bound);
  SmallVector<Ref> factors;
  // The one factor with features of `side`, an element of 16 bits, or null.
  auto takeSide = [&](ArrayRef<Ref> side) -> Ref {
    Ref found = nullptr;
    for (Ref each : side)
      if (!meet(make.freeAtoms(each), depth))
        factors.push_back(each);
      else if (std::exchange(found, each))
        return nullptr;
    bool isNarrowElement = found && found->is(Kind::Element) &&
                           narrowType(found->tensor) &&
                           isWithin(depth, make.freeAtoms(found));
    return isNarrowElement ? found : nullptr;
  };
  Ref query = takeSide(raw.queries), key = takeSide(raw.keys);
  if (!query || !key || factors.empty() ||
      narrowType(query->tensor) != narrowType(key->tensor))
    return;
  raw.queries = {query};
  raw.keys = {key};
  result.scoreFactors = factors;
}
