// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The base of the records of schedules for GPUs.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_GPU_SCHEDULE_H
#define MIXATTN_PASSES_SCHEDULE_GPU_GPU_SCHEDULE_H

#include "passes/plan/Schedule.h"
#include "passes/target/GpuModel.h"

namespace mixattn {

/// The time of a launch, as CUDA's documentation of graphs says it.
constexpr double secondsOfLaunch = 4e-6;

/// A schedule of an attention by fragments, whose blocks have `queries` queries
/// and visit `keys` keys at a time.
class GpuSchedule : public Schedule {
public:
  GpuSchedule(llvm::StringLiteral name, llvm::StringLiteral summary,
              TargetAttr target, int64_t queries, int64_t keys)
      : Schedule(name, summary), gpu(describeGpu(target)),
        chip(target.getChip()), queries(queries), keys(keys) {}

  bool isFor(mlir::Operation *op) const override {
    return llvm::isa<AttentionOpInterface>(op);
  }
  /// Why no fragments hold what `op` computes, or nothing.
  std::string whyNot(mlir::Operation *op) const override;
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
  double flopsOfPeak(const Workload &work) const override { return gpu.peak(); }
  double secondsOfCall() const override { return secondsOfLaunch; }

private:
  const GpuModel &gpu;
  std::string chip;
  int64_t queries, keys;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_GPU_GPU_SCHEDULE_H
