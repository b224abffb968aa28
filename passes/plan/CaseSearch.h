// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the choice among an op's candidates changes with its sizes.

#ifndef MIXATTN_PASSES_PLAN_CASESEARCH_H
#define MIXATTN_PASSES_PLAN_CASESEARCH_H

#include "passes/plan/Planner.h"

namespace mixattn {

/// Compares the candidates of a plan over a grid of the sizes that an op leaves
/// open: on GPUs three batches, and powers of two of queries and of keys. Cases
/// are found one after the other: each is the candidate and the ranges of sizes
/// that together save most of what the plan so far takes, summed over the grid
/// as logarithms of ratios of predicted times.
class CaseSearch {
public:
  /// `usual` is what a plan without cases has.
  CaseSearch(const Planner &planner, const PlanCase &usual);

  /// The case that saves most, part of the plan from now on; nothing where none
  /// saves enough anywhere.
  std::optional<PlanCase> findCase();

private:
  /// Neighbours on an axis: positions `begin` to `end`, which is not one.
  struct Span {
    unsigned begin = 0, end = 0;
    unsigned size() const { return end - begin; }
  };
  /// A part of the grid: a span of each PlanSize.
  using Box = std::array<Span, 3>;
  struct Found {
    unsigned candidate;
    Box box;
  };

  unsigned pointOf(unsigned batch, unsigned query, unsigned key) const {
    return (batch * unsigned(axes[1].size()) + query) *
               unsigned(axes[2].size()) +
           key;
  }
  void forEachPoint(const Box &box,
                    llvm::function_ref<void(unsigned point)> inside) const;
  PlanSizes sizesAt(int64_t batch, int64_t queries, int64_t keys) const;
  double predict(const PlanCase &plan, const PlanSizes &sizes) const;
  /// The time of `candidate`; infinite where it is not to be chosen.
  double timeOf(const PlanCandidate &candidate, const PlanSizes &sizes) const;
  /// The time of the plan as it is.
  double timeOfPlan(const PlanSizes &sizes) const;
  /// The logarithm of the ratio of the plan's time, `before`, to that of
  /// `candidate`, `after`, at `sizes`; 0 where little is gained.
  double gainOf(unsigned candidate, const PlanSizes &sizes, double before,
                double after) const;
  /// The gains of `candidate` at all points.
  std::vector<double> gainsOf(unsigned candidate) const;
  void findBox(unsigned candidate, llvm::ArrayRef<double> gains, Span batches,
               std::optional<Found> &best,
               std::pair<double, unsigned> &most) const;
  std::optional<Found> findBox() const;
  bool isInPlan(unsigned candidate) const;
  unsigned findFastest(const Found &found) const;
  SizeRange refine(const Found &found, PlanSize axis) const;

  const Planner &planner;
  bool isSquare;
  /// The sizes of the grid, for each PlanSize; one where an op says its own.
  std::array<llvm::SmallVector<int64_t>, 3> axes;
  std::vector<PlanSizes> points;
  llvm::SmallVector<const PlanCandidate *> candidates;
  /// Predicted times by point: of each candidate, and of the plan.
  llvm::SmallVector<std::vector<double>> times;
  std::vector<double> timesOfPlan;
  /// The plan: later cases hold before earlier ones.
  llvm::SmallVector<PlanCase> cases;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_CASESEARCH_H
