// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The base of the records of dense schedules for GPUs.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_DENSE_SCHEDULE_H
#define MIXATTN_PASSES_SCHEDULE_GPU_DENSE_SCHEDULE_H

#include "dialect/attn/Contraction.h"
#include "passes/plan/Schedule.h"
#include "passes/schedule/gpu/UnitCounts.h"

namespace mixattn {

/// A schedule of a contraction by tiles of its result.
class DenseSchedule : public Schedule {
public:
  /// `units` are those that its kernels use, where `target` has others, too.
  DenseSchedule(llvm::StringLiteral name, llvm::StringLiteral summary,
                TargetAttr target, const GpuModel *units = nullptr)
      : Schedule(name, summary), gpu(describeGpu(target)),
        units(units ? *units : gpu), chip(target.getChip()) {}

  bool isFor(mlir::Operation *op) const override {
    return findContraction(op).has_value();
  }
  std::string whyNot(mlir::Operation *op) const override;
  std::string whyNotFused(llvm::ArrayRef<mlir::Operation *> members,
                          mlir::Operation *op) const override;
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
  llvm::SmallVector<BlockClocks, 1> clocksOf(const Workload &work,
                                             const PlanCase &) const override {
    return {countStep(*findContraction(work.op)).clocksOn(units, gpu)};
  }
  double flopsOfPeak(const Workload &) const override { return gpu.peak(); }
  double secondsOfCall() const override;

protected:
  /// Why no block takes a part of `op`, or nothing.
  virtual std::string whyNoBlock(const Contraction &op) const = 0;
  /// The work of a block of threads on the terms of a step, its keys.
  virtual BlockCounts countStep(const Contraction &op) const = 0;

  const GpuModel &gpu;

private:
  const GpuModel &units;
  std::string chip;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_GPU_DENSE_SCHEDULE_H
