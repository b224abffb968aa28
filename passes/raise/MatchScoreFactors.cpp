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
  SmallVector<Ref> features, factors;
  for (ArrayRef<Ref> side : {ArrayRef(raw.queries), ArrayRef(raw.keys)})
    for (Ref each : side) {
      bool hasFeatures = meet(make.freeAtoms(each), depth);
      (hasFeatures ? features : factors).push_back(each);
    }
  if (factors.empty() || features.size() != 2)
    return;
  auto readsNarrow = [&](Ref each) {
    return each->is(Kind::Element) && narrowType(each->tensor) &&
           isWithin(depth, make.freeAtoms(each));
  };
  auto [query, key] = std::pair(features[0], features[1]);
  bool isOneType = readsNarrow(query) && readsNarrow(key) &&
                   narrowType(query->tensor) == narrowType(key->tensor);
  if (!isOneType || !is_contained(raw.queries, query) ||
      !is_contained(raw.keys, key))
    return;
  raw.queries = {query};
  raw.keys = {key};
  result.scoreFactors = factors;
}
