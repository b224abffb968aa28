// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of a stage on GPUs.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_STAGE_SCHEDULE_H
#define MIXATTN_PASSES_SCHEDULE_GPU_STAGE_SCHEDULE_H

#include "passes/schedule/gpu/GpuSchedule.h"

namespace mixattn::gpus {

/// A stage, all of whose kernels hold an op `Op`. Its time is part of what the
/// attention's schedule predicts.
template <typename Op> class StageSchedule : public Schedule {
public:
  StageSchedule(llvm::StringLiteral name, llvm::StringLiteral summary,
                TargetAttr target)
      : Schedule(name, summary), gpu(describeGpu(target)) {}

  bool isPlanned() const override { return false; }
  bool isFor(mlir::Operation *op) const override { return llvm::isa<Op>(op); }
  std::string whyNot(mlir::Operation *op) const override {
    auto stage = llvm::dyn_cast<Op>(op);
    return stage ? whyNotStage(stage) : "it is another op than this stage's";
  }
  Prediction predict(const Workload &, const PlanCase &,
                     const PlanSizes &) const override {
    return {};
  }
  double flopsOfPeak(const Workload &) const override { return gpu.peak(); }
  double secondsOfCall() const override { return secondsOfLaunch; }

protected:
  /// Why it cannot compute `stage`, or nothing.
  virtual std::string whyNotStage(Op stage) const { return ""; }

  const GpuModel &gpu;
};

} // namespace mixattn::gpus

#endif // MIXATTN_PASSES_SCHEDULE_GPU_STAGE_SCHEDULE_H
