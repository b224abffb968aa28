// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of mma's schedule for contractions: dense.

#include "passes/schedule/DenseConsumers.h"
#include "passes/schedule/gpu/GpuSchedule.h"
#include "passes/schedule/mma/Dense.h"
#include "passes/schedule/mma/DenseSizes.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

namespace {

class Dense final : public Schedule {
public:
  explicit Dense(TargetAttr target)
      : Schedule("dense", "tiles of a contraction's result, which pointwise "
                          "ops go through before they are stored; by mma.sync"),
        gpu(describeGpu(target)), units(findGpuForMma(target)),
        chip(target.getChip()) {}

  bool isFor(Operation *op) const override {
    return findContraction(op).has_value();
  }
  std::string whyNot(Operation *op) const override;
  std::string whyNotFused(ArrayRef<Operation *> members,
                          Operation *op) const override {
    return mixattn::whyNotFused(members, op);
  }
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
  SmallVector<BlockClocks, 1> clocksOf(const Workload &work,
                                       const PlanCase &) const override {
    DenseSizes tile(*findContraction(work.op), gpu.sharedBytes);
    return {tile.countStep().clocksOn(*units, gpu)};
  }
  double flopsOfPeak(const Workload &) const override { return gpu.peak(); }
  double secondsOfCall() const override { return secondsOfLaunch; }
  void emit(KernelOp kernel, const PlanCase &) const override {
    scheduleDense(kernel, gpu.sharedBytes);
  }

private:
  const GpuModel &gpu, *units;
  std::string chip;
};

} // namespace

std::string Dense::whyNot(Operation *op) const {
  if (std::string why = whyNoDense(op, chip); !why.empty())
    return why;
  return DenseSizes(*findContraction(op), gpu.sharedBytes).why;
}

/// Products by the rate of tensor cores, in rounds of blocks; what is read and
/// written takes no less than device memory needs. Nothing here was measured.
Prediction Dense::predict(const Workload &work, const PlanCase &,
                          const PlanSizes &sizes) const {
  DenseSizes tile(*findContraction(work.op), gpu.sharedBytes);
  double times = std::max(1.0, work.plainMultiplyAdds);
  double rows = double(sizes.queries), columns = double(sizes.batch),
         depth = double(sizes.keys);
  double blocks = times * std::ceil(rows / double(tile.rows())) *
                  std::ceil(columns / double(tile.columns));
  double clocksOfBlock = double(tile.rows() * tile.width()) * depth *
                         double(tile.depth()) / double(tile.terms) /
                         units->products;
  double rounds = std::ceil(blocks / double(gpu.multiprocessors));
  double bytes = work.movedBytes * columns * rows * depth;
  return {secondsOfLaunch + std::max(rounds * clocksOfBlock / gpu.hertz,
                                     bytes / gpu.memoryRate),
          0};
}

void mma::addDense(ScheduleTable &table, TargetFamily family) {
  table.add(family,
            [](TargetAttr target) { return std::make_unique<Dense>(target); });
}
