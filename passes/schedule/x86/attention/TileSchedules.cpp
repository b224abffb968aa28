// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of the schedules that make tiles of scores: online and panel.

#include "passes/schedule/x86/attention/TileSchedules.h"

#include "dialect/tile/TileOps.h"
#include "passes/schedule/x86/attention/Attention.h"
#include "passes/schedule/x86/shared/CpuSchedule.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::x86;

namespace {

/// Tiles of scores, of which a panel keeps a strip.
class TileSchedule : public CpuSchedule {
public:
  using CpuSchedule::CpuSchedule;

  bool isFor(Operation *op) const override {
    return isa<AttentionOpInterface>(op);
  }
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;

protected:
  /// The numbers of a plan, by name.
  struct Numbers {
    int64_t width, block;
  };
  static Numbers numbersOf(const PlanCase &plan) {
    return {plan.get("width"), plan.get("block")};
  }

  /// Whether weights wait for whole rows: they mix over heads, or are a result.
  virtual bool keepsWeights() const = 0;
  /// Bytes of the tiles of one group of heads: queries, weights of a block,
  /// sums.
  virtual double scratchOf(const Workload &work, const Numbers &numbers,
                           int64_t lanes) const {
    return bytesOfTiles(work, double(lanes));
  }
  /// Bytes of a panel's strip: the weights of all heads.
  double stripOf(const Workload &work, const PlanSizes &sizes,
                 int64_t lanes) const {
    return double(work.heads / work.groups) * double(sizes.keys) *
           double(lanes) * (usesAmx(work) && !work.returnsWeights ? 2 : 4);
  }

private:
  /// Bytes that AMX reads and writes at a time: for the scores of a few keys of
  /// a head, or for the sums of a block, which weights and values make.
  double bytesOfAmxTiles(const Workload &work, const Numbers &numbers,
                         int64_t lanes) const {
    double components = double(work.keyHeads) / double(work.valueHeads);
    double features = double(work.keyFeatures), block = double(numbers.block),
           width = double(lanes), few = double(tile::amxTerms);
    double scores = width * (2 * features + 4 * few * components) +
                    2 * few * features * components;
    double sums = 2 * block * (width + 2 * double(tile::amxSide)) +
                  2 * width * double(work.valueFeatures);
    return std::max(scores, sums);
  }
  double slotsOfPair(const Workload &work, const Numbers &numbers,
                     double keys) const;
  /// `readers` are the threads that have a tile.
  double cyclesOfTile(const Workload &work, const Numbers &numbers,
                      const PlanSizes &sizes, int64_t lanes,
                      double readers) const;
};

class Online final : public TileSchedule {
public:
  explicit Online(const CpuModel &cpu)
      : TileSchedule(cpu, "online",
                     "blocks of keys one after the other, each scored and "
                     "pooled at once; sums are rescaled",
                     {widthNumber, blockNumber}) {}

  std::string whyNot(Operation *op) const override {
    auto attention = dyn_cast<AttentionOpInterface>(op);
    // Heads that share their values mix what they pool.
    if (attention && attention.hasPostmix() &&
        attention.getValueType().getDimSize(1) != 1)
      return "weights of several heads mix, which takes the sums of whole rows "
             "first";
    if (attention && attention.getWeights())
      return "its weights are a result, which takes the sums of whole rows "
             "first";
    return whyNoScores(op);
  }
  SmallVector<PlanNumbers> propose(const Workload &work) const override {
    SmallVector<PlanNumbers> all;
    for (int64_t width = cpu.widestTile(); width >= cpu.lanes; width /= 2)
      for (int64_t block : {256, 128, 64, 32})
        if (block <= 128 || usesAmx(work))
          all.push_back({width, block});
    return all;
  }
  void emit(KernelOp kernel, const PlanCase &plan) const override {
    scheduleOnline(kernel, sizesOf(plan));
  }

private:
  bool keepsWeights() const override { return false; }
  double scratchOf(const Workload &work, const Numbers &numbers,
                   int64_t lanes) const override {
    double heads = double(work.heads) / double(work.groups);
    return bytesOfTiles(work, double(lanes)) +
           heads * double(numbers.block) * bytesOfFactor(work) * double(lanes);
  }
};

class Panel final : public TileSchedule {
public:
  explicit Panel(const CpuModel &cpu)
      : TileSchedule(cpu, "panel",
                     "the weights of whole rows for a tile of queries, then "
                     "their mixer and the pool",
                     {widthNumber, blockNumber}) {}

  std::string whyNot(Operation *op) const override {
    auto attention = dyn_cast<AttentionOpInterface>(op);
    if (attention && !attention.hasPostmix() && !attention.getWeights())
      return "its weights neither mix nor are a result, so nothing waits for "
             "whole rows";
    return whyNoScores(op);
  }
  SmallVector<PlanNumbers> propose(const Workload &work) const override {
    // Strips of wider tiles, and larger blocks of all heads, leave the caches;
    // products of pairs are too few to hide anything in narrower ones, and
    // where reading keys takes time, wider ones read them less often.
    SmallVector<PlanNumbers> all;
    SmallVector<int64_t> widths = {2 * cpu.lanes, cpu.lanes};
    if (hasPairs(work) || cpu.readsSlowly())
      widths.front() = cpu.widestTile();
    if (usesAmx(work) || cpu.readsSlowly())
      widths.insert(widths.begin() + 1, 2 * cpu.lanes);
    for (int64_t width : widths)
      for (int64_t block : {256, 128, 64, 32})
        if (block <= 64 || usesAmx(work))
          all.push_back({width, block});
    return all;
  }
  void emit(KernelOp kernel, const PlanCase &plan) const override {
    schedulePanel(kernel, sizesOf(plan));
  }

private:
  bool keepsWeights() const override { return true; }
};

} // namespace

std::unique_ptr<Schedule> x86::makeOnline(TargetAttr target) {
  return std::make_unique<Online>(describeCpu(target));
}

std::unique_ptr<Schedule> x86::makePanel(TargetAttr target) {
  return std::make_unique<Panel>(describeCpu(target));
}

/// Slots that a vector of pairs takes, of one group of heads with `keys` keys.
double TileSchedule::slotsOfPair(const Workload &work, const Numbers &numbers,
                                 double keys) const {
  const Calibration &costs = cpu.costs;
  const PairCounts &pair = work.pair;
  double features = double(std::max<int64_t>(work.keyFeatures, 1));
  double block = double(numbers.block);
  double blocks = std::max(1.0, keys / block);
  // The last block has no products that hide its exps, and mixed scores have
  // few for each.
  double hidden =
      cpu.overlapsExps
          ? (1 - 1 / blocks) *
                std::min(1.0, pair.scores / (pair.exps * costs.hidingSlots))
          : 0;
  // Online, outputs mix after the softmax, not weights.
  double mixed = pair.premix + (keepsWeights() ? pair.postmix : 0);
  double products = pair.scores * (1 + costs.scoreOverhead / features) +
                    pair.pool * (1 + costs.poolOverhead / block);
  // Sums of heads that meet leave the first cache from block to block: twice as
  // much, an estimate that orders plans as kernels do.
  double sums = costs.amxSums * (work.heads > work.groups ? 2 : 1);
  double byAmx =
      pair.scores * (costs.amxMultiplyAdd + costs.amxStore / features) +
      pair.pool * (costs.amxMultiplyAdd + sums / block);
  bool isAmx = usesAmx(work);
  double slots = (isAmx ? byAmx : products * productSlots(work)) +
                 mixed * costs.mix +
                 pair.exps * (isAmx ? costs.amxWeight : slotsOfExp(hidden)) +
                 pair.other * costs.other + pair.reads * costs.read +
                 pair.draws * costs.draw;
  return slots / double(work.groups);
}

/// Cycles of one group of heads and one tile of `lanes` queries.
double TileSchedule::cyclesOfTile(const Workload &work, const Numbers &numbers,
                                  const PlanSizes &sizes, int64_t lanes,
                                  double readers) const {
  const Calibration &costs = cpu.costs;
  double groups = double(work.groups);
  double keys = work.visibleKeys(sizes, numbers.width, numbers.block);
  double vectors = double(std::max<int64_t>(1, lanes / cpu.lanes));
  bool isWidest = lanes >= cpu.widestTile();
  double narrow = hasPairs(work) ? costs.onePairVector : costs.oneVector;
  double two = usesAmx(work) ? 1 : costs.twoVectors;
  double width = isWidest ? 1 : vectors == 1 ? narrow : two;
  double scratch = scratchOf(work, numbers, lanes);
  double excess = scratch / double(cpu.l1) - 1;
  double crowd = scratch / double(cpu.l2) - costs.roomy;
  double spill = std::clamp(excess * costs.overflow, 0.0, costs.mostOverflow);
  if (usesAmx(work)) {
    double set = bytesOfAmxTiles(work, numbers, lanes);
    spill = std::clamp(set / double(cpu.l1) - 1, 0.0, 1.0) * costs.amxOverflow;
  }
  double cache = 1 + spill + std::max(crowd, 0.0) * costs.crowding;
  double slots = slotsOfPair(work, numbers, keys) * width * cache;
  double cycles = slots * vectors * keys / cpu.multiplyAdds;
  // Keys and values come from where those of a group of heads fit, which all
  // its tiles read.
  double keyBytes = work.bytesOfKey() / groups;
  double sets = std::min(readers, double(sizes.batch) * groups);
  double keySet = keyBytes * double(sizes.keys);
  double rate = readRate(keySet, keySet * sets, readers);
  double reading = keyBytes * keys / rate;
  double hidden = !usesAmx(work)      ? costs.hiddenReads
                  : rate < cpu.l2Rate ? 1 - costs.amxExposed
                                      : 1;
  cycles += reading * std::max(0.0, 1 - hidden);
  cycles = std::max(cycles, reading);
  if (keepsWeights()) {
    double panel = stripOf(work, sizes, lanes);
    double part = keys / double(sizes.keys);
    // written once and read once.
    double all = keySet * sets + panel * readers;
    cycles += 2 * panel * part * costs.strip / readRate(panel, all, readers);
  }
  if (work.returnsWeights) {
    double each = 4 * double(work.heads) * double(sizes.keys);
    double all = each * double(sizes.batch) * double(sizes.queries);
    cycles += each / groups * double(lanes) / readRate(all, all, readers);
  }
  double elements = double(work.queryHeads * work.keyFeatures +
                           work.heads * work.valueFeatures) /
                    groups * double(lanes);
  return cycles + elements * costs.pack + costs.tile +
         keys / double(numbers.block) * costs.block;
}

Prediction TileSchedule::predict(const Workload &work, const PlanCase &plan,
                                 const PlanSizes &sizes) const {
  Numbers numbers = numbersOf(plan);
  // Queries that do not fill a tile go into narrower ones.
  int64_t width = sizesOf(plan).narrow(hasPairs(work)).width;
  double whole = double(sizes.queries / numbers.width);
  double narrow =
      double(llvm::divideCeil(uint64_t(sizes.queries % numbers.width), width));
  double each = double(sizes.batch * work.groups);
  double count = each * (whole + narrow);
  double readers = std::clamp(count, 1.0, double(cpu.threads));
  auto cyclesOf = [&](double tiles, int64_t lanes) {
    return tiles > 0 ? cyclesOfTile(work, numbers, sizes, lanes, readers) : 0;
  };
  double wide = cyclesOf(whole, numbers.width);
  double last = cyclesOf(narrow, width);
  double cycles = each * (whole * wide + narrow * last);
  double longest = std::max(wide, last);
  double bytes = scratchOf(work, numbers, numbers.width);
  if (keepsWeights())
    bytes += stripOf(work, sizes, numbers.width);
  double time = share(cycles, count, longest, work.isCausal);
  if (usesAmx(work)) {
    double blocks = std::ceil(double(sizes.keys) / double(numbers.block)) *
                    double(sizes.batch * work.valueHeads);
    double each =
        double(numbers.block * work.valueFeatures) * cpu.costs.amxPack;
    time += share(blocks * each, blocks, each, /*isUneven=*/false);
  }
  return {time, bytes};
}
