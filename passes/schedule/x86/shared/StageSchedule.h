// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of a stage.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_STAGE_SCHEDULE_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_STAGE_SCHEDULE_H

#include "passes/schedule/x86/shared/CpuSchedule.h"

namespace mixattn::x86 {

/// A stage, which is an op of the kind `Op`. Its time is part of what the
/// attention's schedule predicts.
template <typename Op> class StageSchedule : public CpuSchedule {
public:
  using Emission = void (*)(KernelOp, const TileSizes &);

  StageSchedule(const CpuModel &cpu, llvm::StringLiteral name,
                llvm::StringLiteral summary, Emission emission)
      : CpuSchedule(cpu, name, summary), emission(emission) {}

  bool isPlanned() const override { return false; }
  bool isFor(mlir::Operation *op) const override { return llvm::isa<Op>(op); }
  std::string whyNot(mlir::Operation *op) const override {
    if (auto stage = llvm::dyn_cast<Op>(op))
      return whyNotStage(stage);
    return "it is another op than this stage's";
  }
  Prediction predict(const Workload &, const PlanCase &,
                     const PlanSizes &) const override {
    return {};
  }
  void emit(KernelOp kernel, const PlanCase &) const override {
    emission(kernel, TileSizes::of(cpu));
  }

protected:
  /// Why no code is written for `op`, or nothing.
  virtual std::string whyNotStage(Op op) const { return ""; }

private:
  Emission emission;
};

} // namespace mixattn::x86

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_STAGE_SCHEDULE_H
