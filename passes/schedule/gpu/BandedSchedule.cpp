// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of the schedule for pools whose weights are given: banded.

#include "passes/schedule/gpu/Banded.h"
#include "passes/schedule/gpu/GpuSchedule.h"
#include "passes/schedule/gpu/Schedules.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::gpus;

namespace {

class Banded final : public Schedule {
public:
  explicit Banded(TargetAttr target)
      : Schedule("banded", "a pool whose weights are given, rows of each warp "
                           "one after the other"),
        gpu(describeGpu(target)), chip(target.getChip()) {}

  bool isFor(Operation *op) const override { return isa<StructuredPoolOp>(op); }
  std::string whyNot(Operation *op) const override;
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
  double flopsOfPeak(const Workload &) const override { return gpu.peak(); }
  double secondsOfCall() const override { return secondsOfLaunch; }
  void emit(KernelOp kernel, const PlanCase &) const override {
    scheduleBanded(kernel);
  }

private:
  const GpuModel &gpu;
  std::string chip;
};

} // namespace

std::unique_ptr<Schedule> gpus::makeBanded(TargetAttr target) {
  return std::make_unique<Banded>(target);
}

std::string Banded::whyNot(Operation *op) const {
  auto pool = dyn_cast<StructuredPoolOp>(op);
  if (!pool)
    return "its weights are not given";
  if (hasEmptyOperand(op))
    return "one of its operands has no elements";
  if (!findGpu(chip))
    return llvm::formatv("there is no description of the GPU '{0}'", chip);
  if (pool.getValue().getType().getElementType().isF32())
    return "results are f16 or bf16 on a GPU, but one is f32";
  if (pool.getBand() && pool.getHalfWidth() > mostHalfWidth)
    return llvm::formatv("registers hold {0} rows of values next to each, but "
                         "the band has {1}",
                         mostHalfWidth, pool.getHalfWidth());
  return "";
}

/// As fast as memory reads and writes; tables take launches of their own.
Prediction Banded::predict(const Workload &work, const PlanCase &,
                           const PlanSizes &sizes) const {
  auto pool = cast<StructuredPoolOp>(work.op);
  double launches = pool.getWindows() ? 3 : 1;
  double bytes = double(sizes.batch) * double(sizes.queries) * work.movedBytes;
  return {launches * secondsOfLaunch + bytes / gpu.memoryRate, 0};
}
