// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of attentions of a few queries: decode, and its stages.

#include "passes/schedule/x86/decode/DecodeSchedule.h"

#include "passes/schedule/PartStages.h"
#include "passes/schedule/x86/decode/Decode.h"
#include "passes/schedule/x86/shared/StageSchedule.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;
using namespace mixattn::x86;

namespace {

class Decode final : public CpuSchedule {
public:
  explicit Decode(const CpuModel &cpu)
      : CpuSchedule(cpu, "decode",
                    "few queries; parts of the keys apart, then put together",
                    {widthNumber, blockNumber, splitNumber}) {}

  bool isFor(Operation *op) const override {
    return isa<AttentionOpInterface>(op);
  }
  std::string whyNot(Operation *op) const override {
    auto attention = dyn_cast<AttentionOpInterface>(op);
    if (attention && attention.getWeights())
      return "its weights are a result";
    return whyNoScores(op);
  }
  bool takesGaussians() const override { return true; }
  /// More queries fill lanes that are queries.
  int64_t mostQueries() const override { return cpu.widestTile(); }
  SmallVector<PlanNumbers> propose(const Workload &work) const override {
    return {{cpu.lanes, 64, 1024}, {cpu.lanes, 64, 256}};
  }
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
  bool hasStages(Operation *op) const override { return true; }
  void makeStages(RewriterBase &rewriter, Operation *op,
                  const PlanCase &plan) const override {
    int64_t block = sizesOf(plan).block, split = plan.get("split");
    makePartStages(rewriter, cast<GenericOp>(op), split ? split : block, block,
                   cpu.lanes);
  }
  void emit(KernelOp, const PlanCase &) const override {
    llvm_unreachable("kernels of its stages are scheduled");
  }
};

/// A stage of the attention in its region.
template <typename Op> class PartStage final : public StageSchedule<Op> {
public:
  using StageSchedule<Op>::StageSchedule;

private:
  std::string whyNotStage(Op op) const override {
    if (std::string why = whyNoScores(op.getGeneric()); !why.empty())
      return why;
    return whyNotSizes(op);
  }
  std::string whyNotSizes(MergePartsOp op) const {
    return whyNotColumns(op.getValues(), op.getGeneric());
  }
  template <typename Split> std::string whyNotSizes(Split op) const {
    PlanCase plan;
    plan.set(StringAttr::get(op.getContext(), blockNumber.name), op.getBlock());
    plan.set(StringAttr::get(op.getContext(), splitNumber.name), op.getSplit());
    if (std::string why = this->whyNotNumbers(plan); !why.empty())
      return why;
    return whyNotColumns(op.getValues(), op.getGeneric());
  }
  /// Values, where it is not powers, have rows of whole vectors.
  std::string whyNotColumns(Value values, AttentionOpInterface op) const {
    auto type = cast<RankedTensorType>(values.getType());
    auto columns = int64_t(llvm::alignTo(op.getValueType().getDimSize(3),
                                         uint64_t(this->cpu.lanes)));
    if (type.getRank() == 4 || type.getDimSize(4) == columns)
      return "";
    return llvm::formatv("expected values of {0} columns, which are whole "
                         "vectors, but got {1}",
                         columns, type.getDimSize(4));
  }
};

} // namespace

std::unique_ptr<Schedule> x86::makeDecode(TargetAttr target) {
  return std::make_unique<Decode>(describeCpu(target));
}

std::unique_ptr<Schedule> x86::makeParts(TargetAttr target) {
  return std::make_unique<PartStage<PartsOp>>(
      describeCpu(target), llvm::StringLiteral("parts"),
      llvm::StringLiteral("parts of the keys apart, for a few queries"),
      scheduleParts);
}

std::unique_ptr<Schedule> x86::makePartFactors(TargetAttr target) {
  return std::make_unique<StageSchedule<PartFactorsOp>>(
      describeCpu(target), llvm::StringLiteral("part_factors"),
      llvm::StringLiteral("factors of parts, row by row"), schedulePartFactors);
}

std::unique_ptr<Schedule> x86::makePoolParts(TargetAttr target) {
  return std::make_unique<PartStage<PoolPartsOp>>(
      describeCpu(target), llvm::StringLiteral("pool_parts"),
      llvm::StringLiteral("weights of parts mixed, and values pooled"),
      schedulePoolParts);
}

std::unique_ptr<Schedule> x86::makeMergeParts(TargetAttr target) {
  return std::make_unique<PartStage<MergePartsOp>>(
      describeCpu(target), llvm::StringLiteral("merge_parts"),
      llvm::StringLiteral("sums over parts, row by row"), scheduleMergeParts);
}

/// Parts of the keys apart: as fast as they are read, or their products.
Prediction Decode::predict(const Workload &work, const PlanCase &plan,
                           const PlanSizes &sizes) const {
  const Calibration &costs = cpu.costs;
  double queries = double(sizes.queries), groups = double(work.groups);
  double lanes = double(cpu.lanes);
  int64_t block = sizesOf(plan).block;
  auto parts = double(std::max<int64_t>(
      getPartSizes(sizes.keys, plan.get("split"), block).first, 1));
  double keys = double(sizes.keys) / parts;
  const PairCounts &pair = work.pair;
  double rows = pair.scores / double(std::max<int64_t>(work.keyFeatures, 1)) +
                pair.pool / double(work.valueFeatures);
  // Gaussians are squares of differences; pairs of bf16 multiply as they lie.
  auto op = dyn_cast_or_null<AttentionOpInterface>(work.op);
  double slotsOfScore = 1;
  if (op && op.getGaussian())
    slotsOfScore = cpu.slotsOfSquare();
  else if (work.isBf16 && cpu.hasPairs())
    slotsOfScore = cpu.slotsOfPair();
  double products = slotsOfScore * pair.scores + pair.pool;
  double slots = products + rows * costs.decodeRow * lanes + pair.premix +
                 pair.postmix + pair.exps * slotsOfExp(0) +
                 pair.other * costs.other + pair.reads +
                 pair.draws * costs.draw;
  double compute = queries * keys * slots / groups / lanes / cpu.multiplyAdds;
  double all = double(sizes.batch) * double(sizes.keys) * work.bytesOfKey();
  double count = double(sizes.batch) * groups * parts;
  double readers = std::clamp(count, 1.0, double(cpu.threads));
  double read = keys * work.bytesOfKey() / groups / readRate(all, all, readers);
  // Reading is hidden in part: rows wait for it one after the other.
  double item = std::max(compute, read) +
                std::min(compute, read) * costs.exposed + costs.tile;
  double sums = queries * double(work.heads * work.valueFeatures) / lanes;
  double merged = double(sizes.batch) * parts * sums * costs.merge;
  double seconds = share(count * item, count, item, false);
  double bytes = bytesOfTiles(work, queries);
  // Powers of all keys wait for the sums of all parts.
  if (pair.postmix > 0)
    bytes +=
        double(sizes.batch * work.heads) * queries * double(sizes.keys) * 4;
  return {seconds + merged / cpu.hertz, bytes};
}
