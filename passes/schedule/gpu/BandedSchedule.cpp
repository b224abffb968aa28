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
  SmallVector<BlockClocks, 1> clocksOf(const Workload &work,
                                       const PlanCase &plan) const override;
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

/// All rows of a block, with its band, those next to them that it reads, and
/// the places of windows. Errors and what they read are left out, for nobody
/// knows how many there are.
static BlockCounts countBlock(StructuredPoolOp pool) {
  auto bytesOf = [](RankedTensorType type) {
    return double(type.getElementTypeBitWidth()) / 8;
  };
  RankedTensorType value = pool.getValue().getType();
  int64_t features = value.getDimSize(3),
          own = std::min(features, mostBandedFeatures),
          reach = pool.getBand() ? pool.getHalfWidth() : 0;
  double columns = double(llvm::divideCeil(own, 32)), rows = double(bandedRows),
         all = double(bandedWarps) * rows;
  BlockCounts counts;
  counts.queries = bandedWarps * bandedRows;
  counts.columnBlocks = int64_t(llvm::divideCeil(features, own));
  counts.warp.moves = 2 * rows * columns;
  counts.copiedBytes = (all + double(2 * reach)) * double(own) * bytesOf(value);
  if (pool.getWindows())
    counts.copiedBytes += all * sizeof(int32_t);
  if (Value band = pool.getBand()) {
    double places = double(2 * reach + 1), terms = rows * places;
    counts.copiedBytes +=
        all * places * bytesOf(cast<RankedTensorType>(band.getType()));
    // A weight comes from another lane.
    counts.warp.moves += terms;
    counts.warp.fma += terms * columns;
  }
  counts.multiplyAdds = counts.usefulMultiplyAdds =
      double(bandedWarps) * 32 * counts.warp.fma;
  return counts;
}

SmallVector<BlockClocks, 1> Banded::clocksOf(const Workload &work,
                                             const PlanCase &) const {
  return {countBlock(cast<StructuredPoolOp>(work.op)).clocksOn(gpu, gpu)};
}

/// As fast as memory reads and writes; tables take launches of their own.
Prediction Banded::predict(const Workload &work, const PlanCase &,
                           const PlanSizes &sizes) const {
  auto pool = cast<StructuredPoolOp>(work.op);
  double launches = pool.getWindows() ? 3 : 1;
  double bytes = double(sizes.batch) * double(sizes.queries) * work.movedBytes;
  return {launches * secondsOfLaunch + bytes / gpu.memoryRate, 0};
}
