// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of linear attention on mma: chunked_linear, and its stages.

#include "passes/schedule/LinearStages.h"
#include "passes/schedule/gpu/StageSchedule.h"
#include "passes/schedule/mma/Linear.h"
#include "passes/schedule/mma/LinearSizes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

/// Rows and columns of states are multiples of those of a product.
static constexpr int64_t lanes = 16;
/// Products of numbers in halves, of each of which there are two.
static constexpr double productsOfHalves = 3;

namespace {

class ChunkedLinear final : public Schedule {
public:
  explicit ChunkedLinear(TargetAttr target)
      : Schedule("chunked_linear",
                 "the state of linear attention, chunk by chunk; by mma.sync"),
        gpu(describeGpu(target)), units(findGpuForMma(target)),
        chip(target.getChip()) {}

  bool isFor(Operation *op) const override {
    return isa<LinearAttentionOpInterface>(op);
  }
  std::string whyNot(Operation *op) const override;
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
  SmallVector<BlockClocks, 1> clocksOf(const Workload &work,
                                       const PlanCase &) const override;
  double flopsOfPeak(const Workload &) const override { return gpu.peak(); }
  double secondsOfCall() const override { return secondsOfLaunch; }
  bool hasStages(Operation *op) const override {
    return !cast<LinearGenericOp>(op).getCausal();
  }
  void makeStages(RewriterBase &rewriter, Operation *op,
                  const PlanCase &plan) const override {
    makeLinearStages(rewriter, cast<LinearGenericOp>(op), LinearSizes::chunk,
                     lanes);
  }
  void emit(KernelOp kernel, const PlanCase &) const override {
    scheduleCausalLinear(kernel);
  }

private:
  const GpuModel &gpu, *units;
  std::string chip;
};

/// A stage that takes or makes states.
template <typename Op> class Stage final : public gpus::StageSchedule<Op> {
public:
  using Emission = void (*)(KernelOp);

  Stage(TargetAttr target, StringLiteral name, StringLiteral summary,
        Emission emission)
      : gpus::StageSchedule<Op>(name, summary, target), emission(emission) {}

  void emit(KernelOp kernel, const PlanCase &) const override {
    emission(kernel);
  }

private:
  std::string whyNotStage(Op op) const override {
    if (hasEmptyOperand(op))
      return "one of its operands has no elements";
    return whyNotSizes(op);
  }
  std::string whyNotSizes(LinearStateOp op) const {
    return LinearSizes::of(LinearKeysOpInterface(op))
        .whyNot(this->gpu.sharedBytes, /*hasKeys=*/true, /*hasReads=*/false);
  }
  std::string whyNotSizes(LinearReadOp op) const {
    return LinearSizes::of(LinearReadsOpInterface(op))
        .whyNot(this->gpu.sharedBytes, /*hasKeys=*/false, /*hasReads=*/true);
  }
  std::string whyNotSizes(LinearMixStatesOp) const { return ""; }

  Emission emission;
};

} // namespace

std::string ChunkedLinear::whyNot(Operation *op) const {
  auto generic = dyn_cast<LinearGenericOp>(op);
  if (!generic)
    return "it is not the normal form of linear attention";
  if (hasEmptyOperand(op))
    return "one of its operands has no elements";
  if (!findGpu(chip))
    return llvm::formatv("there is no description of the GPU '{0}'", chip);
  LinearAttentionOpInterface attention = generic;
  Type result = generic.getResult().getType().getElementType();
  if (result.isF32())
    return "results are f16 or bf16 on a GPU, but one is f32";
  if (attention.getCausal() && attention.getW1())
    return "an MLP mixes the states at each position, so chunks of keys do not "
           "add up";
  if (attention.getCausal() && attention.hasPremix())
    return "registers do not hold the states of all heads, which a mixer joins "
           "at each position";
  LinearSizes sizes = LinearSizes::of(LinearKeysOpInterface(attention));
  bool isOne = attention.getCausal();
  if (std::string why = sizes.whyNot(gpu.sharedBytes, true, isOne);
      !why.empty())
    return why;
  return sizes.whyNot(gpu.sharedBytes, isOne, true);
}

/// Of each kernel with products.
SmallVector<BlockClocks, 1> ChunkedLinear::clocksOf(const Workload &work,
                                                    const PlanCase &) const {
  auto op = cast<LinearAttentionOpInterface>(work.op);
  LinearSizes sizes = LinearSizes::of(LinearKeysOpInterface(op));
  if (op.getCausal())
    return {sizes.countCausal(op).clocksOn(*units, gpu)};
  return {sizes.countStates(op).clocksOn(*units, gpu),
          sizes.countReads(op).clocksOn(*units, gpu)};
}

/// Products by the rate of tensor cores, of as many blocks as there are states;
/// what is read and written takes no less than device memory needs. Nothing
/// here was measured.
Prediction ChunkedLinear::predict(const Workload &work, const PlanCase &,
                                  const PlanSizes &sizes) const {
  double queries = double(sizes.queries), keys = double(sizes.keys),
         batch = double(sizes.batch);
  double features = double(work.features), values = double(work.valueFeatures);
  double state = features * (values + LinearSizes::ones);
  double ofKeys = keys * state * double(work.keyHeads),
         ofQueries = queries * state * double(work.heads);
  double bytes = batch * (double(sizes.keys) * work.bytesOfKey() +
                          queries * double(work.heads) * (features + values) *
                              double(work.bits) / 8);
  double seconds = secondsOfLaunch, clocks = 0;
  auto addKernel = [&](double multiplyAdds, double blocks) {
    double busy = std::min(blocks, double(gpu.multiprocessors));
    clocks += productsOfHalves * batch * multiplyAdds / gpu.products /
              std::max(busy, 1.0);
  };
  double states = batch * double(work.keyHeads);
  if (work.isCausal) {
    double chunk = double(LinearSizes::chunk);
    addKernel(ofKeys + ofQueries +
                  chunk * (features + values) * queries * double(work.heads),
              states);
  } else {
    addKernel(ofKeys, states);
    addKernel(ofQueries, batch * double(work.heads) * queries /
                             double(LinearSizes::chunk));
    seconds += secondsOfLaunch;
  }
  return {seconds + std::max(clocks / gpu.hertz, bytes / gpu.memoryRate),
          work.isCausal ? 0 : 4 * states * state};
}

void mma::addLinear(ScheduleTable &table, TargetFamily family) {
  table.add(family, [](TargetAttr target) {
    return std::make_unique<ChunkedLinear>(target);
  });
  table.add(family, [](TargetAttr target) {
    return std::make_unique<Stage<LinearStateOp>>(
        target, StringLiteral("linear_state"),
        StringLiteral("sums over keys, a chunk of them at a time"),
        scheduleLinearState);
  });
  table.add(family, [](TargetAttr target) {
    return std::make_unique<Stage<LinearMixStatesOp>>(
        target, StringLiteral("linear_mix_states"),
        StringLiteral("an MLP of states, a thread for each number"),
        scheduleLinearMixStates);
  });
  table.add(family, [](TargetAttr target) {
    return std::make_unique<Stage<LinearReadOp>>(
        target, StringLiteral("linear_read"),
        StringLiteral("states that queries read, a chunk at a time"),
        scheduleLinearRead);
  });
}
