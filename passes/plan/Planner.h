// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses how each attention is computed.

#ifndef MIXATTN_PASSES_PLAN_PLANNER_H
#define MIXATTN_PASSES_PLAN_PLANNER_H

#include "passes/plan/Predictor.h"
#include "passes/schedule/x86/Supports.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mixattn {

/// A candidate that is asked for: what is not given is the model's choice.
struct ForcedPlan {
  Algorithm algorithm;
  /// 0 where they are not given.
  int64_t lanes = 0, block = 0, split = 0;
};

/// Reads `algorithm[,lanes=L][,block=K][,split=K]`. Where that is wrong `error`
/// says so.
std::optional<ForcedPlan> parseForcedPlan(llvm::StringRef text,
                                          std::string &error);

/// The target that plans are made for.
struct PlanTarget {
  CpuModel cpu;
  std::optional<ForcedPlan> forced;
  /// Whether there is a schedule, as x86::isSupported says it.
  bool (*isSupported)(Algorithm, mlir::Operation *,
                      std::string &) = x86::isSupported;
};

/// A way to compute an op.
struct PlanCandidate {
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

  /// Every candidate, in the order of the algorithms, the widest first; those
  /// that are forced, if any.
  llvm::ArrayRef<PlanCandidate> getCandidates() const { return candidates; }
  /// Why the forced candidate cannot be taken, or nothing.
  std::string whyNotForced() const;

  /// The cases of the plan, of which there is one that is possible.
  llvm::SmallVector<PlanCase> makePlan() const;
  /// The fastest candidate that is possible at `sizes`.
  PlanCase choose(const PlanSizes &sizes) const;

  /// The sizes of the op: known ones, and where they are open what plans are
  /// compared at.
  PlanSizes getSizes() const;
  bool isOpen(PlanSize size) const { return !known[unsigned(size)]; }

  Prediction predict(const PlanCase &plan, const PlanSizes &sizes) const {
    return predictor.predict(plan, sizes);
  }
  double shareOfPeak(double seconds, const PlanSizes &sizes) const {
    return predictor.shareOfPeak(seconds, sizes);
  }

private:
  void addCandidates(Algorithm algorithm, const PlanTarget &target);
  /// The fastest at `sizes`, or `usual` where that is almost as fast.
  PlanCase chooseBut(const PlanCase &usual, const PlanSizes &sizes) const;
  /// A case, and how much faster it makes its sizes.
  struct WeighedCase {
    PlanCase plan;
    double gain;
  };
  void addCases(PlanSize axis, bool isDown, const PlanCase &usual,
                llvm::SmallVectorImpl<WeighedCase> &cases) const;

  mlir::Operation *op;
  Predictor predictor;
  CpuModel cpu;
  std::optional<ForcedPlan> forced;
  std::array<std::optional<int64_t>, 3> known;
  /// Whether queries are as many as keys, however many these are.
  bool isSquare;
  llvm::SmallVector<PlanCandidate> candidates;
};

/// `online lanes=64 block=64`.
std::string describe(const PlanCase &plan);

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_PLANNER_H
