// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops and kernels with the predictions that reports print, as text or JSON.

#ifndef MIXATTN_PASSES_PLAN_EXPLAINED_H
#define MIXATTN_PASSES_PLAN_EXPLAINED_H

#include "passes/plan/Planner.h"

namespace mixattn {

/// The words for the sizes of `op`.
std::array<llvm::StringRef, 3> sizeNamesOf(mlir::Operation *op);

/// How much longer `seconds` are than `least`.
std::string compareTimes(double seconds, double least);

/// One op with all that is said about it.
struct Explained {
  Explained(mlir::Operation *op, const FunctionSizes &sizes,
            const PlanTarget &target);

  mlir::Operation *op;
  Planner planner;
  PlanAttr plan;
  PlanSizes sizes;
  /// The case that the plan has for these sizes, without conditions.
  PlanCase chosen;
  double seconds = 0;

  /// Why `candidate` is chosen, slower, or impossible.
  std::string judge(const PlanCandidate &candidate) const;
};

/// Calls `then` for each op of `entry` that has a plan.
void forEachPlanned(mlir::func::FuncOp entry, const GivenSizes &given,
                    const PlanTarget &target,
                    llvm::function_ref<void(const Explained &)> then);

/// A kernel of an entry, predicted.
struct KernelSummary {
  std::string algorithm;
  mlir::Operation *anchor;
  /// How many ops it computes.
  size_t ops;
  /// The time, and what its products would take at the peak.
  double seconds, atPeak;
  llvm::StringRef bound;
};

/// The kernels of `entry` in the order of the graph.
std::vector<KernelSummary> summarizeKernels(mlir::func::FuncOp entry,
                                            const GivenSizes &given,
                                            const PlanTarget &target);

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_EXPLAINED_H
