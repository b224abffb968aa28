// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of linear attention on mma: chunked_linear, spanned_linear, and
// their stages.

#include "passes/schedule/LinearStages.h"
#include "passes/schedule/gpu/StageSchedule.h"
#include "passes/schedule/mma/Linear.h"
#include "passes/schedule/mma/LinearSizes.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

/// Rows and columns of states are multiples of those of a product.
static constexpr int64_t lanes = 16;

/// The number of plans by spans, and what it is where no plan says it.
static constexpr PlanNumberKind spanNumber = {
    "span", "keys that a span has: a multiple of 64"};
static constexpr int64_t usualSpan = 512;
/// Clocks from one instruction of a warp to its next, where a quarter of a
/// multiprocessor has one warp or two: an estimate.
static constexpr double clocksOfInstruction = 4;
/// Seconds that adding up the states of a span takes: an estimate.
static constexpr double secondsOfSpan = 5e-8;

namespace {

class ChunkedLinear : public Schedule {
public:
  explicit ChunkedLinear(TargetAttr target)
      : ChunkedLinear(
            "chunked_linear",
            "the state of linear attention, chunk by chunk; by mma.sync",
            target) {}

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
    scheduleCausalLinear(kernel, gpu.sharedBytes);
  }

protected:
  ChunkedLinear(StringLiteral name, StringLiteral summary, TargetAttr target,
                ArrayRef<PlanNumberKind> numbers = {})
      : Schedule(name, summary, numbers), gpu(describeGpu(target)),
        units(findGpuForMma(target)), chip(target.getChip()) {}

  /// The time where the keys have `spans` spans with states of their own.
  Prediction predictSpans(const Workload &work, const PlanSizes &sizes,
                          double spans) const;

  const GpuModel &gpu, *units;

private:
  double secondsOfWalk(const LinearSizes &sizes, double blocks, double chunks,
                       double multiplyAdds, double instructions) const;

  std::string chip;
};

/// The same by spans of keys, each of which has blocks of its own: pays where
/// there are too few heads for all multiprocessors.
class SpannedLinear final : public ChunkedLinear {
public:
  explicit SpannedLinear(TargetAttr target)
      : ChunkedLinear("spanned_linear",
                      "states of linear attention for spans of the keys, then "
                      "added up; by mma.sync",
                      target, spanNumber) {}

  std::string whyNotNumbers(const PlanCase &plan) const override;
  SmallVector<PlanNumbers> propose(const Workload &) const override {
    return {{256}, {512}, {1024}, {2048}};
  }
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
  SmallVector<BlockClocks, 1> clocksOf(const Workload &work,
                                       const PlanCase &) const override;
  bool hasStages(Operation *) const override { return true; }
  void makeStages(RewriterBase &rewriter, Operation *op,
                  const PlanCase &plan) const override;
  void emit(KernelOp, const PlanCase &) const override {
    llvm_unreachable("kernels of its stages are scheduled");
  }
};

/// A stage that takes or makes states.
template <typename Op> class Stage final : public gpus::StageSchedule<Op> {
public:
  using Emission = void (*)(KernelOp, int64_t sharedBytes);

  Stage(TargetAttr target, StringLiteral name, StringLiteral summary,
        Emission emission)
      : gpus::StageSchedule<Op>(name, summary, target), emission(emission) {}

  void emit(KernelOp kernel, const PlanCase &) const override {
    emission(kernel, this->gpu.sharedBytes);
  }

private:
  std::string whyNotStage(Op op) const override {
    if (hasEmptyOperand(op))
      return "one of its operands has no elements";
    return whyNotSizes(op);
  }
  std::string whyNotSizes(LinearStateOp op) const {
    return LinearSizes::ofStates(op, this->gpu.sharedBytes).whyNot();
  }
  std::string whyNotSizes(LinearReadOp op) const {
    return LinearSizes::ofReads(op, this->gpu.sharedBytes).whyNot();
  }
  std::string whyNotSizes(LinearCausalReadOp op) const {
    return LinearSizes::ofCausal(op, op, this->gpu.sharedBytes).whyNot();
  }
  std::string whyNotSizes(LinearAddStatesOp) const { return ""; }
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
  int64_t sharedBytes = gpu.sharedBytes;
  if (attention.getCausal())
    return LinearSizes::ofCausal(attention, sharedBytes).whyNot();
  std::string why = LinearSizes::ofStates(attention, sharedBytes).whyNot();
  return why.empty() ? LinearSizes::ofReads(attention, sharedBytes).whyNot()
                     : why;
}

/// Of each kernel with products.
SmallVector<BlockClocks, 1> ChunkedLinear::clocksOf(const Workload &work,
                                                    const PlanCase &) const {
  auto op = cast<LinearAttentionOpInterface>(work.op);
  int64_t sharedBytes = gpu.sharedBytes;
  if (op.getCausal())
    return {LinearSizes::ofCausal(op, sharedBytes)
                .countCausal(op)
                .clocksOn(*units, gpu)};
  return {LinearSizes::ofStates(op, sharedBytes)
              .countStates(op)
              .clocksOn(*units, gpu),
          LinearSizes::ofReads(op, sharedBytes)
              .countReads(op)
              .clocksOn(*units, gpu)};
}

Prediction ChunkedLinear::predict(const Workload &work, const PlanCase &,
                                  const PlanSizes &sizes) const {
  return predictSpans(work, sizes, /*spans=*/1);
}

/// The time of a kernel of `blocks` blocks, each of which walks over `chunks`
/// chunks: products by the rate of tensor cores, and what a block waits for
/// between the instructions of a chunk, which nothing else of it hides. Blocks
/// are dealt to the multiprocessors in rounds.
double ChunkedLinear::secondsOfWalk(const LinearSizes &sizes, double blocks,
                                    double chunks, double multiplyAdds,
                                    double instructions) const {
  double ofParts = double(sizes.pairsOf(sizes.parts(), sizes.parts()).size());
  double products = blocks * chunks * ofParts * multiplyAdds / units->products /
                    std::clamp<double>(blocks, 1, double(gpu.multiprocessors));
  double rounds =
      std::ceil(blocks / double(gpu.multiprocessors * sizes.blocksAtATime()));
  return std::max(products,
                  rounds * chunks * instructions * clocksOfInstruction) /
         gpu.hertz;
}

/// States of spans are written, read, and, where a span reads those before it,
/// once more; what is read and written takes no less than device memory needs.
/// Of all this the clocks of an instruction are estimated.
Prediction ChunkedLinear::predictSpans(const Workload &work,
                                       const PlanSizes &sizes,
                                       double spans) const {
  constexpr auto chunk = double(LinearSizes::chunk);
  auto op = cast<LinearAttentionOpInterface>(work.op);
  double queries = double(sizes.queries), keys = double(sizes.keys),
         batch = double(sizes.batch);
  double features = double(work.features), values = double(work.valueFeatures);
  double bytes = batch * (double(sizes.keys) * work.bytesOfKey() +
                          queries * double(work.heads) * (features + values) *
                              double(work.bits) / 8);
  auto heads = double(op.getNumKeyHeads());
  double states = batch * heads, handed = 4 * states * features * (values + 1);
  double seconds = secondsOfLaunch, walks = 0;
  bool hasSpans = spans > 1;
  if (hasSpans) {
    bytes += handed * spans * (work.isCausal ? 4 : 2);
    seconds += secondsOfLaunch + spans * secondsOfSpan;
    handed *= work.isCausal ? 2 * spans : spans + 1;
  }
  double chunks = std::ceil(keys / spans / chunk);
  if (!work.isCausal || hasSpans) {
    LinearSizes own = LinearSizes::ofStates(op, gpu.sharedBytes);
    walks += secondsOfWalk(own, states * spans * double(own.columnBlocks()),
                           chunks, chunk * features * double(own.width()),
                           own.instructionsOfStates(op));
    seconds += secondsOfLaunch;
  }
  if (work.isCausal) {
    LinearSizes own = LinearSizes::ofCausal(op, gpu.sharedBytes);
    double readers = double(work.heads) / heads, width = double(own.width());
    walks +=
        secondsOfWalk(own, states * spans * double(own.columnBlocks()), chunks,
                      chunk * ((1 + readers) * features * width +
                               readers * chunk * (features + width)),
                      own.instructionsOfCausal(op));
  } else {
    LinearSizes own = LinearSizes::ofReads(op, gpu.sharedBytes);
    constexpr auto each = double(LinearSizes::readQueries);
    walks += secondsOfWalk(
        own,
        batch * double(work.heads) * double(own.columnBlocks()) *
            std::ceil(queries / each),
        std::min(each, queries) / chunk, chunk * features * double(own.width()),
        own.instructionsOfReads(op));
  }
  return {seconds + std::max(walks, bytes / gpu.memoryRate),
          work.isCausal && !hasSpans ? 0 : handed};
}

std::string SpannedLinear::whyNotNumbers(const PlanCase &plan) const {
  constexpr int64_t chunk = LinearSizes::chunk;
  if (int64_t span = plan.get(spanNumber.name); span % chunk)
    return llvm::formatv("expected span to be a multiple of {0}, but got {1}",
                         chunk, span);
  return "";
}

Prediction SpannedLinear::predict(const Workload &work, const PlanCase &plan,
                                  const PlanSizes &sizes) const {
  double spans =
      std::ceil(double(sizes.keys) / double(plan.get(spanNumber.name)));
  Prediction predicted = predictSpans(work, sizes, std::max(spans, 1.0));
  // One span takes the launches of several.
  if (spans <= 1)
    predicted.seconds += (work.isCausal ? 2 : 1) * secondsOfLaunch;
  return predicted;
}

SmallVector<BlockClocks, 1>
SpannedLinear::clocksOf(const Workload &work, const PlanCase &plan) const {
  SmallVector<BlockClocks, 1> clocks = ChunkedLinear::clocksOf(work, plan);
  if (!work.isCausal)
    return clocks;
  auto op = cast<LinearAttentionOpInterface>(work.op);
  LinearSizes states = LinearSizes::ofStates(op, gpu.sharedBytes),
              sizes = LinearSizes::ofCausal(op, gpu.sharedBytes);
  BlockClocks &reads = clocks.front();
  reads.stage = "linear_causal_read";
  // Each chunk has its part of the state before its span.
  reads.copiedBytes += sizes.bytesOfState() * double(LinearSizes::chunk) /
                       double(plan.get(spanNumber.name));
  return {states.countStates(op).clocksOn(*units, gpu), reads};
}

void SpannedLinear::makeStages(RewriterBase &rewriter, Operation *op,
                               const PlanCase &plan) const {
  auto generic = cast<LinearGenericOp>(op);
  int64_t span = plan.get(spanNumber.name);
  auto make = generic.getCausal() ? makeCausalSpans : makeLinearStages;
  make(rewriter, generic, LinearSizes::chunk, lanes, span ? span : usualSpan);
}

void mma::addLinear(ScheduleTable &table, TargetFamily family) {
  table.add(family, [](TargetAttr target) {
    return std::make_unique<ChunkedLinear>(target);
  });
  table.add(family, [](TargetAttr target) {
    return std::make_unique<SpannedLinear>(target);
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
        [](KernelOp kernel, int64_t) { scheduleLinearMixStates(kernel); });
  });
  table.add(family, [](TargetAttr target) {
    return std::make_unique<Stage<LinearAddStatesOp>>(
        target, StringLiteral("linear_add_states"),
        StringLiteral("sums over spans, a thread for each number"),
        [](KernelOp kernel, int64_t) { scheduleLinearAddStates(kernel); });
  });
  table.add(family, [](TargetAttr target) {
    return std::make_unique<Stage<LinearCausalReadOp>>(
        target, StringLiteral("linear_causal_read"),
        StringLiteral("states that queries of a span read, chunk by chunk"),
        scheduleCausalLinear);
  });
  table.add(family, [](TargetAttr target) {
    return std::make_unique<Stage<LinearReadOp>>(
        target, StringLiteral("linear_read"),
        StringLiteral("states that queries read, a chunk at a time"),
        scheduleLinearRead);
  });
}
