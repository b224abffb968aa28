// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of stages that come before an attention.

#include "passes/schedule/x86/stages/StageSchedules.h"

#include "passes/schedule/x86/shared/CpuSchedule.h"
#include "passes/schedule/x86/stages/Projections.h"
#include "passes/schedule/x86/stages/Terms.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::x86;

namespace {

/// A stage, which is an op of the kind `Op`. Its time is part of what the
/// attention's schedule predicts.
template <typename Op> class Stage : public CpuSchedule {
public:
  using Emission = void (*)(KernelOp, const TileSizes &);

  Stage(const CpuModel &cpu, llvm::StringLiteral name,
        llvm::StringLiteral summary, Emission emission)
      : CpuSchedule(cpu, name, summary), emission(emission) {}

  bool isPlanned() const override { return false; }
  bool isFor(Operation *op) const override { return isa<Op>(op); }
  std::string whyNot(Operation *op) const override {
    return isFor(op) ? "" : "it is another op than this stage's";
  }
  Prediction predict(const Workload &, const PlanCase &,
                     const PlanSizes &) const override {
    return {};
  }
  void emit(KernelOp kernel, const PlanCase &) const override {
    emission(kernel, TileSizes::of(cpu));
  }

private:
  Emission emission;
};

} // namespace

std::unique_ptr<Schedule> x86::makeRowTerm(TargetAttr target) {
  return std::make_unique<Stage<RowTermOp>>(
      describeCpu(target), llvm::StringLiteral("row_term"),
      llvm::StringLiteral(
          "squares and products of rows, a block of rows at a time"),
      scheduleRowTerm);
}

std::unique_ptr<Schedule> x86::makeProjection(TargetAttr target) {
  return std::make_unique<Stage<ProjectOp>>(
      describeCpu(target), llvm::StringLiteral("project"),
      llvm::StringLiteral(
          "rows of a projection side by side, over the whole sequence"),
      scheduleProjection);
}
