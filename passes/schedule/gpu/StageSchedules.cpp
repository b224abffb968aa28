// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of stages that come before an attention, for all GPUs.

#include "passes/schedule/gpu/StageSchedules.h"
#include "passes/schedule/gpu/GpuSchedule.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::gpus;

namespace {

/// A stage, which is an op of the kind `Op`. Its time is part of what the
/// attention's schedule predicts.
template <typename Op> class StageSchedule final : public Schedule {
public:
  using Emission = void (*)(KernelOp);

  StageSchedule(TargetAttr target, StringLiteral name, StringLiteral summary,
                Emission emission)
      : Schedule(name, summary), gpu(describeGpu(target)), emission(emission) {}

  bool isPlanned() const override { return false; }
  bool isFor(Operation *op) const override { return isa<Op>(op); }
  std::string whyNot(Operation *op) const override {
    return isa<Op>(op) ? "" : "it is another op than this stage's";
  }
  Prediction predict(const Workload &, const PlanCase &,
                     const PlanSizes &) const override {
    return {};
  }
  double flopsOfPeak(const Workload &) const override { return gpu.peak(); }
  double secondsOfCall() const override { return secondsOfLaunch; }
  void emit(KernelOp kernel, const PlanCase &) const override {
    emission(kernel);
  }

private:
  const GpuModel &gpu;
  Emission emission;
};

} // namespace

void gpus::addStages(ScheduleTable &table, TargetFamily family) {
  table.add(family, [](TargetAttr target) {
    return std::make_unique<StageSchedule<RowTermOp>>(
        target, StringLiteral("row_term"),
        StringLiteral("squares and products of rows, a warp for each"),
        scheduleRowTerm);
  });
}
