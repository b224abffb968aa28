// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of mma's schedule that passes over the keys once: online.

#include "passes/schedule/gpu/GpuSchedule.h"
#include "passes/schedule/gpu/StageSchedules.h"
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
                    target, blockQueries, blockKeys),
        sharedBytes(describeGpu(target).sharedBytes) {}

  std::string whyNot(Operation *op) const override;
  void emit(KernelOp kernel, const PlanCase &plan) const override {
    scheduleOnline(kernel, sharedBytes);
  }

private:
  /// Bytes of shared memory that a block may have.
  int64_t sharedBytes;
};

} // namespace

void mma::addSchedules(ScheduleTable &table) {
  table.add(TargetFamily::Mma,
            [](TargetAttr target) { return std::make_unique<Online>(target); });
  gpus::addStages(table, TargetFamily::Mma);
  gpus::addUnfused(table, TargetFamily::Mma);
}

std::string Online::whyNot(Operation *op) const {
  if (std::string why = GpuSchedule::whyNot(op); !why.empty())
    return why;
  BlockSizes sizes(cast<AttentionOpInterface>(op), sharedBytes);
  if (sizes.keys == 0)
    return "registers do not hold the scores of all channels and the outputs "
           "of "
           "a head";
  if (sizes.bytes() > sharedBytes)
    return llvm::formatv("{0} keys and values take {1} bytes of shared memory, "
                         "more than the {2} of a block",
                         sizes.keys, sizes.bytes(), sharedBytes);
  return "";
}
