// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of mma's schedule for a few queries: decode, and its stages.

#include "passes/schedule/PartStages.h"
#include "passes/schedule/gpu/OwnTerms.h"
#include "passes/schedule/gpu/Schedules.h"
#include "passes/schedule/gpu/StageSchedule.h"
#include "passes/schedule/mma/BlockSizes.h"
#include "passes/schedule/mma/PoolPartSizes.h"
#include "passes/schedule/mma/Schedules.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

/// The number of its plans.
static constexpr PlanNumberKind splitNumber = {
    "split",
    "keys that a part has at most where 64 parts are enough: a multiple of 64"};
/// Keys that a part has where no plan says it.
static constexpr int64_t usualSplit = 256;

/// Bytes that parts may hand on where keys and values are fewer.
static constexpr double handedAnyway = 0x1p28;

/// Seconds from the demand for bytes of the device's memory to their arrival,
/// and those that a merge takes for a part: estimates.
static constexpr double secondsOfRead = 8e-7, secondsOfPart = 5e-8;

namespace {

class Decode final : public GpuSchedule {
public:
  explicit Decode(TargetAttr target)
      : GpuSchedule("decode",
                    "few queries; parts of the keys apart, which heads that "
                    "share keys read once, then put together; by mma.sync",
                    target, findGpuForMma(target), splitNumber) {}

  std::string whyNot(Operation *op) const override;
  std::string whyNotNumbers(const PlanCase &plan) const override;
  /// Each block of 16 queries reads the keys anew, which pays while other
  /// schedules leave multiprocessors idle.
  int64_t mostQueries() const override { return 16 * mostPartQueries; }
  /// Parts hand on no more bytes than keys and values have, or `handedAnyway`.
  bool mayBeChosenAt(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override {
    double cached =
        double(sizes.batch) * double(sizes.keys) * work.bytesOfKey();
    return GpuSchedule::mayBeChosenAt(work, plan, sizes) &&
           bytesHandedOn(work, plan, sizes) <= std::max(cached, handedAnyway);
  }
  SmallVector<PlanNumbers> propose(const Workload &) const override {
    return {{128}, {256}};
  }
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
  bool hasStages(Operation *op) const override { return true; }
  void makeStages(RewriterBase &rewriter, Operation *op,
                  const PlanCase &plan) const override;
  void emit(KernelOp, const PlanCase &) const override {
    llvm_unreachable("kernels of its stages are scheduled");
  }

protected:
  SmallVector<BlockCounts, 1> countBlocks(AttentionOpInterface op,
                                          const PlanCase &plan) const override;

private:
  double countParts(const Workload &work, const PlanCase &plan,
                    const PlanSizes &sizes) const {
    int64_t split = plan.get(splitNumber.name);
    return double(getPartSizes(sizes.keys, split, sizesOf(work.op).keys).first);
  }
  /// Bytes that the kernels of parts write: sums and outputs of each part, and
  /// powers where weights mix.
  double bytesHandedOn(const Workload &work, const PlanCase &plan,
                       const PlanSizes &sizes) const {
    bool isMixed = cast<AttentionOpInterface>(work.op).hasPostmix();
    double rows = double(sizes.batch * work.heads * sizes.queries);
    return rows * sizeof(float) *
           (countParts(work, plan, sizes) * double(work.valueFeatures + 2) +
            (isMixed ? double(sizes.keys) : 0));
  }
  BlockSizes sizesOf(Operation *op) const {
    return BlockSizes::ofPart(cast<AttentionOpInterface>(op), gpu.sharedBytes);
  }
};

/// Parts of the attention in its region.
class Parts final : public gpus::StageSchedule<PartsOp> {
public:
  explicit Parts(TargetAttr target)
      : StageSchedule("parts", "parts of the keys apart, for a few queries",
                      target),
        attention(target) {}

  void emit(KernelOp kernel, const PlanCase &) const override {
    scheduleParts(kernel, gpu.sharedBytes);
  }

private:
  std::string whyNotStage(PartsOp stage) const override;

  Decode attention;
};

/// Mixed weights and what they pool, of the attention in its region.
class PoolParts final : public gpus::StageSchedule<PoolPartsOp> {
public:
  explicit PoolParts(TargetAttr target)
      : StageSchedule("pool_parts",
                      "heads mix the powers of parts, which pool values",
                      target),
        attention(target) {}

  void emit(KernelOp kernel, const PlanCase &) const override {
    schedulePoolParts(kernel, gpu.sharedBytes);
  }

private:
  std::string whyNotStage(PoolPartsOp stage) const override {
    return attention.whyNot(stage.getGeneric());
  }

  Decode attention;
};

} // namespace

static std::unique_ptr<Schedule> makeDecode(TargetAttr target) {
  return std::make_unique<Decode>(target);
}

static std::unique_ptr<Schedule> makeParts(TargetAttr target) {
  return std::make_unique<Parts>(target);
}

static std::unique_ptr<Schedule> makePoolParts(TargetAttr target) {
  return std::make_unique<PoolParts>(target);
}

void mma::addDecode(ScheduleTable &table, TargetFamily family) {
  for (auto make : {makeDecode, makeParts, gpus::makePartFactors, makePoolParts,
                    gpus::makeMergeParts})
    table.add(family, make);
}

std::string Decode::whyNot(Operation *op) const {
  if (std::string why = GpuSchedule::whyNot(op); !why.empty())
    return why;
  auto attention = cast<AttentionOpInterface>(op);
  if (std::string why = whyNoRegisters(attention); !why.empty())
    return why;
  if (attention.hasPostmix())
    if (PoolPartSizes pool(attention, gpu.sharedBytes); !pool.why.empty())
      return pool.why;
  return sizesOf(op).whyNot(gpu.sharedBytes);
}

std::string Decode::whyNotNumbers(const PlanCase &plan) const {
  if (int64_t split = plan.get(splitNumber.name); split % blockKeys)
    return llvm::formatv("expected split to be a multiple of {0}, but got {1}",
                         blockKeys, split);
  return "";
}

std::string Parts::whyNotStage(PartsOp stage) const {
  if (std::string why = attention.whyNot(stage.getGeneric()); !why.empty())
    return why;
  int64_t columns =
      AttentionOpInterface(stage.getGeneric()).getValueType().getDimSize(3);
  auto values = cast<RankedTensorType>(stage.getValues().getType());
  if (AttentionOpInterface(stage.getGeneric()).hasPostmix())
    return "";
  if (int64_t own = values.getDimSize(4); own != columns)
    return llvm::formatv("expected values of as many columns as features, {0}, "
                         "but got {1}",
                         columns, own);
  return "";
}

void Decode::makeStages(RewriterBase &rewriter, Operation *op,
                        const PlanCase &plan) const {
  if (GpuSchedule::hasStages(op))
    GpuSchedule::makeStages(rewriter, op, plan);
  int64_t split = plan.get(splitNumber.name);
  SmallVector<RowTermOp> terms;
  if (auto attention = cast<AttentionOpInterface>(op); makesOwnTerm(attention))
    terms.push_back(findOwnTerm(attention));
  makePartStages(rewriter, cast<GenericOp>(op), split ? split : usualSplit,
                 sizesOf(op).keys, /*lanes=*/1, terms);
}

/// A warp has 16 rows of each group, and reads each tile for itself.
SmallVector<BlockCounts, 1> Decode::countBlocks(AttentionOpInterface op,
                                                const PlanCase &) const {
  BlockCounts counts = sizesOf(op).countBlock(tile::allExps);
  counts.stage = "parts";
  if (!op.hasPostmix())
    return {counts};
  return {counts, PoolPartSizes(op, gpu.sharedBytes).countBlock()};
}

/// Keys are read as fast as blocks that are there at the same time ask for
/// them, or their products take longer. What parts hand on is written and read
/// once; powers, which each group of output heads mixes, by all of these.
Prediction Decode::predict(const Workload &work, const PlanCase &plan,
                           const PlanSizes &sizes) const {
  BlockSizes block = sizesOf(work.op);
  auto ceilDiv = [](int64_t count, int64_t each) {
    return double(llvm::divideCeil(uint64_t(count), uint64_t(each)));
  };
  double parts = countParts(work, plan, sizes);
  double queryBlocks = ceilDiv(sizes.queries, block.queries());
  auto keysOfPart = int64_t(double(sizes.keys) / std::max(parts, 1.0));
  auto countOf = [&](int64_t heads) {
    return double(sizes.batch) * parts * queryBlocks *
           double(work.heads / heads);
  };
  // Warps of four quarters compute at the same time.
  double multiprocessors = double(gpu.multiprocessors), clocks = 0;
  auto add = [&](const BlockClocks &own, int64_t warps) {
    double atATime = multiprocessors *
                     std::max(1.0, double(GpuModel::quarters) / double(warps));
    clocks += std::ceil(countOf(own.heads) / atATime) *
              ceilDiv(keysOfPart, own.keys) * own.serial();
  };
  SmallVector<BlockClocks, 1> stages = clocksOf(work, plan);
  add(stages.front(), block.warps);
  bool isMixed = stages.size() > 1;
  double handed = bytesHandedOn(work, plan, sizes), moved = 2 * handed;
  if (isMixed) {
    add(stages.back(), PoolPartSizes::threads / 32);
    // Each group of heads reads the powers of all.
    double powers = double(sizes.batch * work.heads * sizes.queries) *
                    double(sizes.keys) * sizeof(float);
    moved += powers * (double(work.heads / stages.back().heads) - 1);
  }

  double blocks = countOf(stages.front().heads);
  double resident = multiprocessors * double(block.resident(gpu.sharedBytes));
  double given = stages.front().givenBytes;
  double bytes = double(sizes.batch) * queryBlocks * double(sizes.keys) *
                     work.bytesOfKey() +
                 blocks * ceilDiv(keysOfPart, block.keys) * given;
  double waiting =
      std::min(blocks, resident) *
      (double(block.keys) * block.group.copiedColumns() * 2 + given);
  double rate = std::min(gpu.memoryRate, waiting / secondsOfRead);
  double launches = isMixed ? 4 : 2, reads = launches / 2;
  double seconds = launches * secondsOfLaunch + reads * secondsOfRead +
                   std::max(clocks / gpu.hertz, bytes / rate) +
                   parts * secondsOfPart + moved / gpu.memoryRate;
  return {seconds, handed};
}
