// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of the schedule for a few queries: decode.

#include "passes/schedule/x86/decode/DecodeSchedule.h"

#include "passes/schedule/x86/decode/Decode.h"
#include "passes/schedule/x86/shared/Calibration.h"
#include "passes/schedule/x86/shared/CpuSchedule.h"

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
  std::string whyNot(Operation *op) const override { return whyNoScores(op); }
  bool takesGaussians() const override { return true; }
  /// Each query more takes as much time as the first.
  bool mayBeChosenAt(const PlanSizes &sizes) const override {
    return sizes.queries <= cpu.widestTile();
  }
  SmallVector<PlanNumbers> propose(const Workload &work) const override {
    return {{cpu.lanes, 64, 1024}, {cpu.lanes, 64, 256}};
  }
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
  void emit(KernelOp kernel, const PlanCase &plan) const override {
    TileSizes sizes = sizesOf(plan);
    int64_t split = plan.get("split");
    scheduleDecode(kernel, sizes, split ? split : sizes.block);
  }
};

} // namespace

std::unique_ptr<Schedule> x86::makeDecode(TargetAttr target) {
  return std::make_unique<Decode>(describeCpu(target));
}

/// Parts of the keys apart: as fast as they are read, or their products.
Prediction Decode::predict(const Workload &work, const PlanCase &plan,
                           const PlanSizes &sizes) const {
  using namespace calibration;
  double queries = double(sizes.queries), groups = double(work.groups);
  double lanes = double(cpu.lanes);
  double parts =
      std::max(1.0, std::ceil(double(sizes.keys) / double(plan.get("split"))));
  double keys = double(sizes.keys) / parts;
  const PairCounts &pair = work.pair;
  double rows = pair.scores / double(std::max<int64_t>(work.keyFeatures, 1)) +
                pair.pool / double(work.valueFeatures);
  double slots = pair.products() + rows * decodeRow * lanes + pair.premix +
                 pair.postmix + pair.exps * slotsOfExp(0) + pair.other * other +
                 pair.reads + pair.draws * draw;
  double compute = queries * keys * slots / groups / lanes / cpu.multiplyAdds;
  double all = double(sizes.batch) * double(sizes.keys) * work.bytesOfKey();
  double count = double(sizes.batch) * groups * parts;
  double readers = std::clamp(count, 1.0, double(cpu.threads));
  double read = keys * work.bytesOfKey() / groups / readRate(all, all, readers);
  // Reading is hidden in part: rows wait for it one after the other.
  double item =
      std::max(compute, read) + std::min(compute, read) * exposed + tile;
  double sums = queries * double(work.heads * work.valueFeatures) / lanes;
  double merged = double(sizes.batch) * parts * sums * merge;
  double seconds = share(count * item, count, item, false);
  double bytes = bytesOfTiles(work, queries);
  // Powers of all keys wait for the sums of all parts.
  if (pair.postmix > 0)
    bytes +=
        double(sizes.batch * work.heads) * queries * double(sizes.keys) * 4;
  return {seconds + merged / cpu.hertz, bytes};
}
