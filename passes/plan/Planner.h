// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses how each attention is computed.

#ifndef MIXATTN_PASSES_PLAN_PLANNER_H
#define MIXATTN_PASSES_PLAN_PLANNER_H

#include "passes/plan/Schedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mixattn {

/// A candidate that is asked for: numbers that are not given are the model's
/// choice.
struct ForcedPlan {
  std::string algorithm;
  std::vector<std::pair<std::string, int64_t>> numbers;
};

/// Reads `algorithm[,number=N]...`. Where that is wrong `error` says so.
std::optional<ForcedPlan> parseForcedPlan(llvm::StringRef text,
                                          std::string &error);

/// Why `forced` is no plan of any of `schedules`, or nothing.
std::string whyNoPlan(const ForcedPlan &forced, const Schedules &schedules);

/// The target that plans are made for, and its schedules.
struct PlanTarget {
  explicit PlanTarget(TargetAttr target)
      : target(target), schedules(schedulesFor(target)) {}

  TargetAttr target;
  Schedules schedules;
  std::optional<ForcedPlan> forced;
};

/// A way to compute an op.
struct PlanCandidate {
  const Schedule *schedule;
  /// Without conditions.
  PlanCase plan;
  /// Why there is no schedule for it, or nothing.
  std::string whyNot;

  bool isPossible() const { return whyNot.empty(); }
};

/// The sizes of a function's dims, and numbers that stand for those it leaves
/// open. Shared by all of its attentions.
struct FunctionSizes {
  explicit FunctionSizes(mlir::func::FuncOp function,
                         const GivenSizes &given = {});

  Sizes known, nominal;
};

/// Plans one attention.
class Planner {
public:
  Planner(mlir::Operation *op, const FunctionSizes &sizes,
          const PlanTarget &target);

  mlir::Operation *getOp() const { return op; }

  /// Every candidate, in the order of the table; those that are forced, if any.
  llvm::ArrayRef<PlanCandidate> getCandidates() const { return candidates; }
  /// Why the forced candidate cannot be taken, or nothing.
  std::string whyNotForced() const;

  /// Whether there is a candidate that is possible.
  bool hasPlan() const {
    return llvm::any_of(candidates, [](const PlanCandidate &each) {
      return each.isPossible();
    });
  }
  /// The cases of the plan, where there is one.
  llvm::SmallVector<PlanCase> makePlan() const;
  /// The fastest candidate that is possible at `sizes`.
  PlanCase choose(const PlanSizes &sizes) const;

  /// The sizes of the op: known ones, and where they are open what plans are
  /// compared at.
  PlanSizes getSizes() const;
  bool isOpen(PlanSize size) const { return !known[unsigned(size)]; }
  /// Whether the choice may change with the batch: it is open, and the target
  /// is a GPU. The keys of a large batch are too many for a CPU's caches: there
  /// predictions are off by more than a case gains. A contraction's columns are
  /// no batch.
  bool asksForBatch() const;
  /// Whether queries are as many as keys, however many these are.
  bool isSquare() const { return areAsMany; }
  /// Whether a plan may choose `candidate`, which is possible, at `sizes`.
  bool mayBeChosen(const PlanCandidate &candidate,
                   const PlanSizes &sizes) const;

  /// The schedule that `plan` names, which is one of the target's.
  const Schedule &scheduleOf(const PlanCase &plan) const;
  Prediction predict(const PlanCase &plan, const PlanSizes &sizes) const {
    return scheduleOf(plan).predict(work, plan, sizes);
  }
  llvm::SmallVector<BlockClocks, 1> clocksOf(const PlanCase &plan) const {
    return scheduleOf(plan).clocksOf(work, plan);
  }
  /// Floating-point operations a second that `plan` computes at most.
  double flopsOfPeak(const PlanCase &plan) const {
    return scheduleOf(plan).flopsOfPeak(work);
  }
  /// The part of the target's peak that a time of `seconds` means, of the
  /// products that `plan` computes.
  double shareOfPeak(const PlanCase &plan, double seconds,
                     const PlanSizes &sizes) const;

private:
  void addCandidates(const Schedule &schedule);

  mlir::Operation *op;
  Workload work;
  const PlanTarget &target;
  std::array<std::optional<int64_t>, 3> known;
  bool areAsMany;
  /// Whether the plan that is asked for is about the op.
  bool isForced = false;
  llvm::SmallVector<PlanCandidate> candidates;
};

/// `online width=64 block=64`.
std::string describe(const PlanCase &plan);

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_PLANNER_H
