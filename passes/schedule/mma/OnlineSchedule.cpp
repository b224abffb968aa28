// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of mma's schedule that passes over the keys once: online.

#include "passes/schedule/gpu/GpuSchedule.h"
#include "passes/schedule/gpu/Schedules.h"
#include "passes/schedule/mma/BlockSizes.h"
#include "passes/schedule/mma/Schedules.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

namespace {

class Online final : public GpuSchedule {
public:
  explicit Online(TargetAttr target)
      : GpuSchedule("online",
                    "blocks of keys one after the other, each scored and "
                    "pooled at once; sums are rescaled",
                    target),
        sharedBytes(describeGpu(target).sharedBytes) {}
  /// For what `better`, of the same target, does not take.
  Online(TargetAttr target, std::unique_ptr<Schedule> better)
      : GpuSchedule("online_mma", "the same by mma.sync, without TMA", target,
                    findGpuForMma(target)),
        sharedBytes(describeGpu(target).sharedBytes),
        better(std::move(better)) {}

  std::string whyNot(Operation *op) const override;
  void emit(KernelOp kernel, const PlanCase &plan) const override {
    scheduleOnline(kernel, sharedBytes, expsOf(plan));
  }

protected:
  SmallVector<BlockCounts, 1> countBlocks(AttentionOpInterface op,
                                          const PlanCase &plan) const override;

private:
  /// Bytes of shared memory that a block may have.
  int64_t sharedBytes;
  std::unique_ptr<Schedule> better;
};

} // namespace

void mma::addSchedules(ScheduleTable &table) {
  table.add(TargetFamily::Mma,
            [](TargetAttr target) { return std::make_unique<Online>(target); });
  addTwoPass(table, TargetFamily::Mma);
  gpus::addSchedules(table, TargetFamily::Mma);
}

void mma::addFallback(ScheduleTable &table, TargetFamily family,
                      ScheduleTable::Factory better) {
  table.add(family, [better = std::move(better)](TargetAttr target) {
    return std::make_unique<Online>(target, better(target));
  });
}

std::string Online::whyNot(Operation *op) const {
  if (better && better->whyNot(op).empty())
    return llvm::formatv("'{0}' takes it", better->name);
  if (std::string why = whyNotOnline(op); !why.empty())
    return why;
  BlockSizes sizes(cast<AttentionOpInterface>(op), sharedBytes);
  if (sizes.bytes() > sharedBytes)
    return llvm::formatv("{0} keys and values take {1} bytes of shared memory, "
                         "more than the {2} of a block",
                         sizes.keys, sizes.bytes(), sharedBytes);
  return "";
}

/// A warp has 16 queries of each group, and reads each tile for itself.
SmallVector<BlockCounts, 1> Online::countBlocks(AttentionOpInterface op,
                                                const PlanCase &plan) const {
  BlockSizes sizes(op, sharedBytes);
  const HeadGroup &group = sizes.group;
  constexpr double bytesOfElement = 2;
  double columns = group.multiplyAdds(), keys = double(sizes.keys);
  double rowGroups = double(sizes.rowGroups);
  BlockCounts counts;
  counts.queries = sizes.queries();
  counts.keys = sizes.keys;
  counts.heads = group.heads;
  counts.warp =
      countSoftmax(op, sizes.keys, group.heads, expsOf(plan)) * rowGroups;
  // m16n8k16; a load of four squares of 512 bytes serves two of them in each
  // group, or is of queries.
  double ofGroup = keys * columns / (8 * 16);
  counts.warp.products = ofGroup * rowGroups;
  double loads = ofGroup / 2, warps = threads / 32,
         ofOperands = sizes.windows().bytesOfBlock(),
         copied = keys * group.copiedColumns() * bytesOfElement + ofOperands;
  if (sizes.sharesQueries())
    loads += rowGroups * double(group.tiles() * group.features) / 16;
  counts.warp.moves += loads + copied / 16 / threads;
  counts.sharedBytes = loads * 512 * warps + copied + ofOperands;
  counts.multiplyAdds = double(sizes.queries()) * keys * columns;
  counts.usefulMultiplyAdds =
      double(sizes.queries()) * keys * group.usefulMultiplyAdds();
  return {counts};
}
