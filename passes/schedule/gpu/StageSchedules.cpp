// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of stages on GPUs.

#include "passes/schedule/gpu/GpuSchedule.h"
#include "passes/schedule/gpu/Schedules.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::gpus;

namespace {

/// A stage, all of whose kernels hold an op `Op`: its time is part of what the
/// attention's schedule predicts.
template <typename Op> class Stage final : public Schedule {
public:
  using EmitKernel = void (*)(KernelOp);

  Stage(StringLiteral name, StringLiteral summary, EmitKernel emitKernel,
        TargetAttr target)
      : Schedule(name, summary), emitKernel(emitKernel),
        gpu(describeGpu(target)) {}

  bool isPlanned() const override { return false; }
  bool isFor(Operation *op) const override { return isa<Op>(op); }
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
    emitKernel(kernel);
  }

private:
  EmitKernel emitKernel;
  const GpuModel &gpu;
};

} // namespace

std::unique_ptr<Schedule> gpus::makeRowTerm(TargetAttr target) {
  constexpr StringLiteral summary =
      "squares and products of rows, a warp for each";
  return std::make_unique<Stage<RowTermOp>>(StringLiteral("row_term"), summary,
                                            scheduleRowTerm, target);
}

std::unique_ptr<Schedule> gpus::makeRowFactors(TargetAttr target) {
  constexpr StringLiteral summary =
      "powers of 2 of the terms of rows, a thread for each";
  return std::make_unique<Stage<RowFactorsOp>>(
      StringLiteral("row_factors"), summary, scheduleRowFactors, target);
}
