// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of the plain path on GPUs, which attn-decompose takes: unfused.

#include "passes/schedule/gpu/GpuSchedule.h"
#include "passes/schedule/gpu/Schedules.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::gpus;

namespace {

class Unfused final : public Schedule {
public:
  explicit Unfused(TargetAttr target)
      : Schedule("unfused", "the plain path of attn-decompose, an element of "
                            "each tensor a thread"),
        gpu(describeGpu(target)), chip(target.getChip()) {}

  bool isFor(Operation *op) const override { return true; }
  std::string whyNot(Operation *op) const override;
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
  double flopsOfPeak(const Workload &) const override { return gpu.peak(); }
  double secondsOfCall() const override { return secondsOfLaunch; }
  bool formsKernels() const override { return false; }
  void emit(KernelOp, const PlanCase &) const override {
    llvm_unreachable("no kernel is formed of what is unfused");
  }

private:
  const GpuModel &gpu;
  std::string chip;
};

} // namespace

std::unique_ptr<Schedule> gpus::makeUnfused(TargetAttr target) {
  return std::make_unique<Unfused>(target);
}

std::string Unfused::whyNot(Operation *op) const {
  if (!findGpu(chip))
    return llvm::formatv("there is no description of the GPU '{0}'", chip);
  // Attention is fused for 16 bits: an error says so, where the plain path
  // would be slow.
  if (isa<AttnDialect>(op->getDialect()) && op->getNumOperands() > 0 &&
      getElementTypeOrSelf(op->getOperand(0)).isF32())
    return "operands are f16 or bf16 on a GPU, but one is f32";
  return "";
}

/// Whether loops over positions, one by one, compute `op`: of one block.
static bool walksOverPositions(Operation *op) {
  if (auto linear = dyn_cast_if_present<LinearAttentionOpInterface>(op))
    return linear.getCausal();
  auto pool = dyn_cast_if_present<StructuredPoolOp>(op);
  return pool && (pool.getErrorIndex() || pool.getWindows());
}

/// Every tensor goes to memory and comes back. Threads sum up by themselves
/// what they read one by one: nothing says how much of that overlaps.
Prediction Unfused::predict(const Workload &work, const PlanCase &,
                            const PlanSizes &sizes) const {
  bool hasPairs = work.kind == Workload::Kind::Softmax ||
                  work.kind == Workload::Kind::Contraction;
  double units = double(sizes.batch) * double(sizes.queries) *
                 (hasPairs ? double(sizes.keys) : 1.0);
  double cycles =
      units * ((work.plainMultiplyAdds + work.plainOther) / gpu.others +
               work.plainExps / gpu.exps);
  double blocks = double(gpu.multiprocessors);
  if (walksOverPositions(work.op)) {
    // A few barriers, and loads that wait for them.
    constexpr double clocksOfStep = 5000;
    cycles += clocksOfStep * double(sizes.queries);
    blocks = 1;
  }
  // A thread adds up the keys of a number of a state in f64, each term after
  // the one before.
  constexpr double clocksOfSum = 16;
  if (work.kind == Workload::Kind::Linear)
    cycles += clocksOfSum * double(sizes.keys) * blocks;
  double seconds = cycles / (blocks * gpu.hertz);
  // Scores, exponentials, weights: each written once, and read once by what
  // comes next.
  double tensors =
      4 * units *
      double(work.kind == Workload::Kind::Softmax
                 ? work.queryHeads + 2 * work.heads
                 : work.heads * std::max(work.features, work.valueFeatures));
  double bytes = 2 * tensors;
  // Few queries write little, and read keys and values all the same.
  if (work.kind == Workload::Kind::Softmax)
    bytes += double(sizes.batch) * double(sizes.keys) * work.bytesOfKey();
  return {seconds + bytes / gpu.memoryRate + 4 * secondsOfLaunch, tensors};
}
