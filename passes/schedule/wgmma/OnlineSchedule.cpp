// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of sm_90a's schedule that passes over the keys once: online.

#include "passes/schedule/gpu/GpuSchedule.h"
#include "passes/schedule/gpu/StageSchedules.h"
#include "passes/schedule/wgmma/BlockSizes.h"
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
                    target, blockQueries, /*keys=*/128) {}

  std::string whyNot(Operation *op) const override;
  void emit(KernelOp kernel, const PlanCase &plan) const override {
    scheduleOnline(kernel);
  }
};

} // namespace

void wgmma::addSchedules(ScheduleTable &table) {
  table.add(TargetFamily::Wgmma,
            [](TargetAttr target) { return std::make_unique<Online>(target); });
  gpus::addStages(table, TargetFamily::Wgmma);
  gpus::addUnfused(table, TargetFamily::Wgmma);
}

std::string Online::whyNot(Operation *op) const {
  if (std::string why = GpuSchedule::whyNot(op); !why.empty())
    return why;
  BlockSizes sizes(cast<AttentionOpInterface>(op));
  if (sizes.keys == 0)
    return "registers do not hold the scores of all channels and the outputs "
           "of "
           "a head";
  if (sizes.bytes() > sharedBytes)
    return llvm::formatv("queries, keys and values take {0} bytes of shared "
                         "memory, more than the {1} of a block",
                         sizes.bytes(), sharedBytes);
  return "";
}
