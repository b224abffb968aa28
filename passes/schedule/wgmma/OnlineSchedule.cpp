// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of sm_90a's schedule that passes over the keys once: online.

#include "passes/schedule/gpu/GpuSchedule.h"
#include "passes/schedule/gpu/Schedules.h"
#include "passes/schedule/wgmma/BlockSizes.h"
#include "passes/schedule/wgmma/MapSources.h"
#include "passes/schedule/wgmma/Schedules.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::wgmma;

namespace {

class Online final : public GpuSchedule {
public:
  explicit Online(TargetAttr target)
      : GpuSchedule("online",
                    "one thread fills rings of keys and values, warpgroups "
                    "score one block while they pool the one before",
                    target),
        sharedBytes(describeGpu(target).sharedBytes) {}

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
};

} // namespace

std::unique_ptr<Schedule> wgmma::makeOnline(TargetAttr target) {
  return std::make_unique<Online>(target);
}

/// Whether queries see at most half of the `keys` keys that TMA copies for them
/// at a time.
static bool isNarrow(std::optional<BandAttr> band, int64_t keys) {
  int64_t most = keys / 2;
  return band && band->getLower() < most && band->getUpper() < most &&
         band->getLower() + band->getUpper() + 1 <= most;
}

std::string Online::whyNot(Operation *op) const {
  if (std::string why = whyNotOnline(op); !why.empty())
    return why;
  auto attention = cast<AttentionOpInterface>(op);
  if (attention.getGivenScores())
    return "its scores are given";
  constexpr int64_t pieceBytes = 16;
  for (RankedTensorType each :
       {attention.getQueryType(), attention.getValueType()})
    if (int64_t bytes = each.getDimSize(3) * each.getElementTypeBitWidth() / 8;
        bytes % pieceBytes)
      return llvm::formatv("TMA copies rows of multiples of {0} bytes, but "
                           "those of a head have {1}",
                           pieceBytes, bytes);
  for (auto [tensor, name] : {std::pair(attention.getQuery(), "queries"),
                              std::pair(attention.getKey(), "keys"),
                              std::pair(attention.getValue(), "values")})
    if (std::string why = whyNoMap(tensor, name); !why.empty())
      return why;
  BlockSizes sizes(attention, sharedBytes);
  if (sizes.bytes() > sharedBytes)
    return llvm::formatv("queries, keys and values take {0} bytes of shared "
                         "memory, more than the {1} of a block",
                         sizes.bytes(), sharedBytes);
  if (isNarrow(attention.getBand(), sizes.keys))
    return llvm::formatv("its band is narrower than half of the {0} keys that "
                         "TMA copies at a time",
                         sizes.keys);
  return "";
}

/// Of the warps of a warpgroup each quarter of the multiprocessor has one.
SmallVector<BlockCounts, 1> Online::countBlocks(AttentionOpInterface op,
                                                const PlanCase &plan) const {
  BlockSizes sizes(op, sharedBytes);
  const HeadGroup &group = sizes.group;
  double keys = double(sizes.keys);
  constexpr double width = 2, rows = 64, depth = 16;
  BlockCounts counts;
  counts.queries = blockQueries;
  counts.keys = sizes.keys;
  counts.heads = group.heads;
  counts.warps = consumers;
  counts.warp = countSoftmax(op, sizes.keys, group.heads, expsOf(plan));
  counts.keptWarp = countDropped(op, sizes.keys, group.heads);
  // Consumers copy what else is read, and read it.
  double ofOperands =
      sizes.windows().bytesOfBlock(countShareThere(op, blockQueries));
  counts.warp.moves += ofOperands / 16 / double(128 * consumers);
  // m64nNk16: of scores with both sides in shared memory, of the pooled with
  // weights in registers.
  double scores = double(group.tiles() * group.features) / depth,
         pool = double(group.heads) * keys / depth;
  counts.warp.products = scores + pool;
  counts.copiedBytes = width * keys * group.copiedColumns() + ofOperands;
  counts.queryBytes = width * double(blockQueries) * group.queryColumns();
  counts.sharedBytes =
      double(consumers) * width * depth *
          (scores * (rows + keys) + pool * double(group.valueFeatures)) +
      width * keys * group.copiedColumns() + 2 * ofOperands;
  counts.multiplyAdds = double(blockQueries) * keys * group.multiplyAdds();
  counts.usefulMultiplyAdds =
      double(blockQueries) * keys * group.usefulMultiplyAdds();
  return {counts};
}
