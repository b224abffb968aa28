// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of mma's schedule that passes over the keys once: online.

#include "passes/schedule/gpu/GpuSchedule.h"
#include "passes/schedule/gpu/Schedules.h"
#include "passes/schedule/mma/BlockSizes.h"
#include "passes/schedule/mma/Dense.h"
#include "passes/schedule/mma/Linear.h"
#include "passes/schedule/mma/OutputMixer.h"
#include "passes/schedule/mma/Schedules.h"

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

/// All but `online` and `dense`: nothing of a later family is better.
static void addOthers(ScheduleTable &table, TargetFamily family) {
  addTwoPass(table, family);
  addDecode(table, family);
  addLinear(table, family);
  gpus::addSchedules(table, family);
}

void mma::addSchedules(ScheduleTable &table) {
  table.add(TargetFamily::Mma,
            [](TargetAttr target) { return std::make_unique<Online>(target); });
  table.add(TargetFamily::Mma, makeDense);
  addOthers(table, TargetFamily::Mma);
}

void mma::addSchedulesBelow(ScheduleTable &table, TargetFamily family,
                            ScheduleTable::Factory online,
                            ScheduleTable::Factory dense) {
  table.add(family, online);
  table.add(family, [online](TargetAttr target) {
    return std::make_unique<Online>(target, online(target));
  });
  table.add(family, dense);
  table.add(family, [dense](TargetAttr target) {
    return makeDenseBelow(target, dense);
  });
  addOthers(table, family);
}

std::string Online::whyNot(Operation *op) const {
  if (std::string why = whyBetter(better.get(), op); !why.empty())
    return why;
  if (std::string why = GpuSchedule::whyNot(op); !why.empty())
    return why;
  auto attention = cast<AttentionOpInterface>(op);
  if (attention.hasPostmix())
    if (std::string why = OutputMixer::whyNot(attention); !why.empty())
      return why;
  if (std::string why = whyNoRegisters(attention); !why.empty())
    return why;
  return BlockSizes(attention, sharedBytes).whyNot(sharedBytes);
}

SmallVector<BlockCounts, 1> Online::countBlocks(AttentionOpInterface op,
                                                const PlanCase &plan) const {
  return {BlockSizes(op, sharedBytes).countBlock(expsOf(plan))};
}
