// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of the schedule for rows: rows.

#include "passes/schedule/x86/rows/RowsSchedule.h"

#include "passes/schedule/x86/rows/RowLoops.h"
#include "passes/schedule/x86/rows/Rows.h"
#include "passes/schedule/x86/shared/Calibration.h"
#include "passes/schedule/x86/shared/CpuSchedule.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::x86;

namespace {

/// Norms, softmax of rows, gathers, permutations, pools, and pointwise ops: all
/// `linalg` ops that no plan is made for.
class Rows final : public CpuSchedule {
public:
  explicit Rows(const CpuModel &cpu)
      : CpuSchedule(cpu, "rows", "ops that each row of a tensor goes through") {
  }

  bool isPlanned() const override { return false; }
  bool isFor(Operation *op) const override {
    return isa<linalg::LinalgOp>(op) && !canBePlanned(op);
  }
  std::string whyNot(Operation *op) const override { return whyNoRows(op); }
  std::string whyNotFused(ArrayRef<Operation *> members,
                          Operation *op) const override {
    return whyNotInRow(members, op);
  }
  bool givesAllResults() const override { return true; }
  Prediction predict(const Workload &work, const PlanCase &,
                     const PlanSizes &) const override;
  void emit(KernelOp kernel, const PlanCase &) const override {
    scheduleRows(kernel, cpu.lanes);
  }
};

} // namespace

/// Arithmetic, or moving, whichever takes longer.
Prediction Rows::predict(const Workload &work, const PlanCase &,
                         const PlanSizes &) const {
  double operations = work.plainMultiplyAdds + work.plainOther;
  double slots =
      operations * calibration::rowOther + work.plainExps * slotsOfExp(0);
  double cycles = slots / double(cpu.lanes * cpu.multiplyAdds);
  double bytes = work.movedBytes, readers = double(cpu.threads);
  cycles = std::max(cycles, bytes / readRate(bytes / readers, bytes, readers));
  double items = std::max(1.0, operations / double(calibration::fewTurns));
  return {share(cycles, items, cycles / items, false), 0};
}

std::unique_ptr<Schedule> x86::makeRows(TargetAttr target) {
  return std::make_unique<Rows>(describeCpu(target));
}
