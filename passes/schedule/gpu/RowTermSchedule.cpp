// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of terms of rows on GPUs.

#include "passes/schedule/gpu/GpuSchedule.h"
#include "passes/schedule/gpu/Schedules.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::gpus;

namespace {

/// A stage: its time is part of what the attention's schedule predicts.
class RowTerm final : public Schedule {
public:
  explicit RowTerm(TargetAttr target)
      : Schedule("row_term", "squares and products of rows, a warp for each"),
        gpu(describeGpu(target)) {}

  bool isPlanned() const override { return false; }
  bool isFor(Operation *op) const override { return isa<RowTermOp>(op); }
  std::string whyNot(Operation *op) const override {
    return isFor(op) ? "" : "it is another op than this stage's";
  }
  Prediction predict(const Workload &, const PlanCase &,
                     const PlanSizes &) const override {
    return {};
  }
  double flopsOfPeak(const Workload &) const override { return gpu.peak(); }
  double secondsOfCall() const override { return secondsOfLaunch; }
  void emit(KernelOp kernel, const PlanCase &) const override {
    scheduleRowTerm(kernel);
  }

private:
  const GpuModel &gpu;
};

} // namespace

std::unique_ptr<Schedule> gpus::makeRowTerm(TargetAttr target) {
  return std::make_unique<RowTerm>(target);
}
