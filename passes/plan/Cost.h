// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of an op, in several ways of counting.

#ifndef MIXATTN_PASSES_PLAN_COST_H
#define MIXATTN_PASSES_PLAN_COST_H

#include "passes/entry/SizePolynomial.h"

#include "llvm/ADT/StringRef.h"

namespace mixattn {

/// Counts of one op, of a stage of it, or of a whole entry. passes/plan/cost.md
/// has the rules.
struct Cost {
  /// Multiplications whose product something is added to, with that addition.
  SizePolynomial multiplyAdds;
  /// Other additions, multiplications, divisions, maxima, minima and roots.
  SizePolynomial other;
  /// Exponentials, logarithms and other transcendental functions.
  SizePolynomial exps;
  /// Bytes that are read and written, each tensor once an op.
  SizePolynomial bytes;

  /// The papers' count: multiplications and additions, K and K - 1 of them in
  /// a sum of K products; no softmax, no priors, no scales.
  SizePolynomial operations;
  /// How many of these a published total misses (cost.md).
  SizePolynomial misprinted;
  /// Vision models' count: products that are summed.
  SizePolynomial macs;

  /// Floating-point operations of our own count.
  SizePolynomial flops() const { return multiplyAdds * 2 + other; }

  Cost &operator+=(const Cost &more) {
    multiplyAdds += more.multiplyAdds;
    other += more.other;
    exps += more.exps;
    bytes += more.bytes;
    operations += more.operations;
    misprinted += more.misprinted;
    macs += more.macs;
    return *this;
  }
  Cost &operator*=(const SizePolynomial &factor) {
    for (SizePolynomial *count : {&multiplyAdds, &other, &exps, &bytes,
                                  &operations, &misprinted, &macs})
      *count *= factor;
    return *this;
  }
};

/// Part of an op's cost, under a name.
struct StageCost {
  llvm::StringLiteral name;
  Cost cost;
};
using StageCosts = std::vector<StageCost>;

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_COST_H
