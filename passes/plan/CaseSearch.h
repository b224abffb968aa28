// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the choice among an op's candidates changes with its sizes.

#ifndef MIXATTN_PASSES_PLAN_CASESEARCH_H
#define MIXATTN_PASSES_PLAN_CASESEARCH_H

#include "passes/plan/Planner.h"

namespace mixattn {

/// Compares the candidates of a plan over a grid of the sizes that an op leaves
/// open, powers of two of queries and of keys. Cases are found one after the
/// other: each is the candidate and the range of sizes that together save most
/// of what the plan so far takes, summed over the grid as logarithms of ratios
/// of predicted times.
class CaseSearch {
public:
  /// `usual` is what a plan without cases has.
  CaseSearch(const Planner &planner, const PlanCase &usual);

  /// The case that saves most, part of the plan from now on; nothing where none
  /// saves enough anywhere.
  std::optional<PlanCase> findCase();

private:
  /// Neighbours on the grid: positions `begin` to `end`, which is not one.
  struct Span {
    unsigned begin, end;
  };
  struct Rectangle {
    unsigned candidate;
    Span queries, keys;
  };

  unsigned pointOf(unsigned query, unsigned key) const {
    return query * unsigned(keys.size()) + key;
  }
  PlanSizes sizesAt(int64_t queries, int64_t keys) const;
  /// The time of `candidate`; infinite where it is not to be chosen.
  double timeOf(const PlanCandidate &candidate, const PlanSizes &sizes) const;
  /// The time of the plan as it is.
  double timeOfPlan(const PlanSizes &sizes) const;
  /// The logarithm of the ratio of the plan's time, `before`, to that of
  /// `candidate`, `after`, at `sizes`; 0 where little is gained.
  double gainOf(unsigned candidate, const PlanSizes &sizes, double before,
                double after) const;
  /// How many calls there are of `queries[query]` queries, next to others.
  double callsAt(unsigned query) const;
  std::optional<Rectangle> findRectangle() const;
  unsigned findFastest(const Rectangle &found) const;
  SizeRange refine(const Rectangle &found, PlanSize axis) const;

  const Planner &planner;
  bool isSquare;
  /// The sizes of the grid; one where an op says its own.
  llvm::SmallVector<int64_t> queries, keys;
  llvm::SmallVector<const PlanCandidate *> candidates;
  /// Predicted times by point: of each candidate, and of the plan.
  llvm::SmallVector<std::vector<double>> times;
  std::vector<double> timesOfPlan;
  /// The plan: later cases hold before earlier ones.
  llvm::SmallVector<PlanCase> cases;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_CASESEARCH_H
