// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of stages on GPUs.

#include "passes/schedule/gpu/Schedules.h"
#include "passes/schedule/gpu/StageSchedule.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::gpus;

namespace {

template <typename Op> class Stage final : public StageSchedule<Op> {
public:
  using EmitKernel = void (*)(KernelOp);

  Stage(StringLiteral name, StringLiteral summary, EmitKernel emitKernel,
        TargetAttr target)
      : StageSchedule<Op>(name, summary, target), emitKernel(emitKernel) {}

  void emit(KernelOp kernel, const PlanCase &) const override {
    emitKernel(kernel);
  }

private:
  EmitKernel emitKernel;
};

} // namespace

std::unique_ptr<Schedule> gpus::makeRowTerm(TargetAttr target) {
  constexpr StringLiteral summary =
      "squares and products of rows, each by lanes side by side";
  return std::make_unique<Stage<RowTermOp>>(StringLiteral("row_term"), summary,
                                            scheduleRowTerm, target);
}

std::unique_ptr<Schedule> gpus::makeMergeParts(TargetAttr target) {
  return std::make_unique<Stage<MergePartsOp>>(
      StringLiteral("merge_parts"),
      StringLiteral("sums over parts, a block for each row"),
      scheduleMergeParts, target);
}

std::unique_ptr<Schedule> gpus::makePartFactors(TargetAttr target) {
  return std::make_unique<Stage<PartFactorsOp>>(
      StringLiteral("part_factors"),
      StringLiteral("factors of parts, a warp for each row"),
      schedulePartFactors, target);
}

std::unique_ptr<Schedule> gpus::makeRowFactors(TargetAttr target) {
  constexpr StringLiteral summary =
      "powers of 2 of the terms of rows, a thread for each";
  return std::make_unique<Stage<RowFactorsOp>>(
      StringLiteral("row_factors"), summary, scheduleRowFactors, target);
}
