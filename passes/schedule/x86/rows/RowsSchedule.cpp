// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of the schedule for rows: rows.

#include "passes/schedule/x86/rows/RowsSchedule.h"

#include "passes/schedule/RowLoops.h"
#include "passes/schedule/x86/rows/Rows.h"
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
    scheduleRows(kernel, cpu.lanes, /*asksAhead=*/cpu.readsSlowly());
  }
};

} // namespace

Prediction Rows::predict(const Workload &work, const PlanCase &,
                         const PlanSizes &) const {
  return {secondsOfRows(work.plainMultiplyAdds + work.plainOther,
                        work.plainExps, work.movedBytes),
          0};
}

std::unique_ptr<Schedule> x86::makeRows(TargetAttr target) {
  return std::make_unique<Rows>(describeCpu(target));
}
