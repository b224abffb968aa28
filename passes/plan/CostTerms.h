// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The terms that costs of attention are sums of.

#ifndef MIXATTN_PASSES_PLAN_COST_TERMS_H
#define MIXATTN_PASSES_PLAN_COST_TERMS_H

#include "passes/plan/Cost.h"

namespace mixattn {

/// A sum of `terms` products: multiply-adds of our count, macs, and K + (K - 1)
/// operations, or one more where the sum begins with an addend.
inline Cost productSum(const SizePolynomial &terms, bool hasAddend = false) {
  Cost cost;
  cost.multiplyAdds = cost.macs = terms;
  cost.operations = terms * 2 - (hasAddend ? 0 : 1);
  return cost;
}

/// Additions or multiplications, which the papers count, too.
inline Cost arithmetic(const SizePolynomial &count) {
  Cost cost;
  cost.other = cost.operations = count;
  return cost;
}

/// Work that the papers do not count.
inline Cost uncounted(const SizePolynomial &other, const SizePolynomial &exps) {
  Cost cost;
  cost.other = other;
  cost.exps = exps;
  return cost;
}

inline Cost operator*(Cost cost, const SizePolynomial &times) {
  return cost *= times;
}
inline Cost operator+(Cost cost, const Cost &more) { return cost += more; }

/// Adds `cost` to `stages` unless it is nothing.
inline void addStage(StageCosts &stages, llvm::StringLiteral name,
                     const Cost &cost) {
  for (const SizePolynomial *count :
       {&cost.multiplyAdds, &cost.other, &cost.exps, &cost.operations})
    if (!count->isZero()) {
      stages.push_back({name, cost});
      return;
    }
}

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_COST_TERMS_H
