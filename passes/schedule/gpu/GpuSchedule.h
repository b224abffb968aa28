// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The base of the records of schedules for GPUs.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_GPU_SCHEDULE_H
#define MIXATTN_PASSES_SCHEDULE_GPU_GPU_SCHEDULE_H

#include "dialect/tile/TileOps.h"
#include "passes/plan/Schedule.h"
#include "passes/schedule/gpu/UnitCounts.h"

namespace mixattn {

/// The time of a launch, as CUDA's documentation of graphs says it.
constexpr double secondsOfLaunch = 4e-6;

/// The number of its plans.
constexpr PlanNumberKind expsNumber = {
    "exps", "1 to 8: of every eight weights, those that the unit of "
            "exponentials computes; polynomials compute the others"};

/// The number `exps` of `plan`; all where it has none.
inline int64_t expsOf(const PlanCase &plan) {
  int64_t exps = plan.get(expsNumber.name);
  return exps ? exps : tile::allExps;
}

/// That `better` takes `op`, or nothing. A kernel on buffers is what its plan
/// says: then it is not asked for.
std::string whyBetter(const Schedule *better, mlir::Operation *op);

/// A schedule of an attention by fragments, whose blocks of threads visit
/// blocks of keys.
class GpuSchedule : public Schedule {
public:
  /// `units` are those that its kernels use, where `target` has others, too.
  GpuSchedule(llvm::StringLiteral name, llvm::StringLiteral summary,
              TargetAttr target, const GpuModel *units = nullptr,
              llvm::ArrayRef<PlanNumberKind> numbers = {expsNumber})
      : Schedule(name, summary, numbers), gpu(describeGpu(target)),
        units(units ? *units : gpu), chip(target.getChip()) {}

  bool isFor(mlir::Operation *op) const override {
    return llvm::isa<AttentionOpInterface>(op);
  }
  /// Why no fragments hold what `op` computes, or nothing.
  std::string whyNot(mlir::Operation *op) const override;
  std::string whyNotNumbers(const PlanCase &plan) const override;
  llvm::SmallVector<PlanNumbers> propose(const Workload &work) const override;
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
  llvm::SmallVector<BlockClocks, 1>
  clocksOf(const Workload &work, const PlanCase &plan) const override;
  double flopsOfPeak(const Workload &work) const override { return gpu.peak(); }
  double secondsOfCall() const override { return secondsOfLaunch; }
  /// Factors of terms are made before, where they serve the weights of all
  /// components.
  bool hasStages(mlir::Operation *op) const override;
  void makeStages(mlir::RewriterBase &rewriter, mlir::Operation *op,
                  const PlanCase &plan) const override;

protected:
  /// The same for a schedule that passes over the keys once, with one running
  /// sum for each row.
  std::string whyNotOnline(mlir::Operation *op) const;
  /// Why registers do not hold a block's scores and outputs, or nothing.
  static std::string whyNoRegisters(AttentionOpInterface attention);
  /// Counts the work of a block of threads on a block of keys of `op`, which
  /// the schedule takes, for each of its kernels.
  virtual llvm::SmallVector<BlockCounts, 1>
  countBlocks(AttentionOpInterface op, const PlanCase &plan) const = 0;
  /// Bytes that kernels for `work` hand to each other, for a row of weights.
  virtual double bytesOfRow() const { return 0; }

  const GpuModel &gpu;

private:
  const GpuModel &units;
  std::string chip;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_GPU_GPU_SCHEDULE_H
