// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of the schedule for pools whose weights are given: banded.

#include "passes/schedule/x86/pool/BandedSchedule.h"

#include "passes/schedule/x86/pool/Banded.h"
#include "passes/schedule/x86/shared/CpuSchedule.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::x86;

namespace {

class Banded final : public CpuSchedule {
public:
  explicit Banded(const CpuModel &cpu)
      : CpuSchedule(cpu, "banded",
                    "a pool whose weights are given, a piece of its rows at a "
                    "time",
                    {blockNumber}) {}

  bool isFor(Operation *op) const override { return isa<StructuredPoolOp>(op); }
  std::string whyNot(Operation *op) const override {
    return isFor(op) ? whyNoCode(op) : "its weights are not given";
  }
  SmallVector<PlanNumbers> propose(const Workload &work) const override {
    // Loads of one piece overlap stores of the one before.
    return {{16}};
  }
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
  void emit(KernelOp kernel, const PlanCase &plan) const override {
    scheduleBanded(kernel, sizesOf(plan));
  }
};

} // namespace

std::unique_ptr<Schedule> x86::makeBanded(TargetAttr target) {
  return std::make_unique<Banded>(describeCpu(target));
}

/// Rows of a pool: as fast as they are read and written, or their products.
Prediction Banded::predict(const Workload &work, const PlanCase &plan,
                           const PlanSizes &sizes) const {
  const Calibration &costs = cpu.costs;
  double rows = double(sizes.batch) * double(sizes.queries);
  double values = double(work.heads * work.valueFeatures);
  double slots =
      work.plainMultiplyAdds / costs.pieceShare + values * costs.pieceOverhead;
  double compute = slots / double(cpu.lanes) / cpu.multiplyAdds +
                   work.plainOther * costs.pieceOther;
  double move = cyclesOfMoves(work, rows, double(cpu.threads));
  double count = double(sizes.batch * work.heads) *
                 double(llvm::divideCeil(sizes.queries, rowsOfItem));
  double cycles = std::max(rows * compute, move);
  double bytes = 4 * double(plan.get("block") * work.valueFeatures);
  return {share(cycles, count, cycles / std::max(1.0, count), false), bytes};
}
