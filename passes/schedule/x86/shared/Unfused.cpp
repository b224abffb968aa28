// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of the plain path, which attn-decompose takes: unfused.

#include "passes/schedule/x86/shared/Unfused.h"

#include "passes/schedule/x86/shared/CpuSchedule.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::x86;

namespace {

class Unfused final : public CpuSchedule {
public:
  explicit Unfused(const CpuModel &cpu)
      : CpuSchedule(cpu, "unfused", "the plain path of attn-decompose") {}

  bool isFor(Operation *op) const override { return true; }
  std::string whyNot(Operation *op) const override { return ""; }
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
  bool formsKernels() const override { return false; }
  void emit(KernelOp, const PlanCase &) const override {
    llvm_unreachable("no kernel is formed of what is unfused");
  }
};

} // namespace

std::unique_ptr<Schedule> x86::makeUnfused(TargetAttr target) {
  return std::make_unique<Unfused>(describeCpu(target));
}

/// Scalar loops on one thread over tensors of all pairs.
Prediction Unfused::predict(const Workload &work, const PlanCase &plan,
                            const PlanSizes &sizes) const {
  const Calibration &costs = cpu.costs;
  double units = double(sizes.batch) * double(sizes.queries);
  if (work.kind == Workload::Kind::Softmax ||
      work.kind == Workload::Kind::Contraction)
    units *= double(sizes.keys);
  double cycles = units * (work.plainMultiplyAdds * costs.plainMultiplyAdd +
                           work.plainOther * costs.plainOther +
                           work.plainExps * costs.plainExp);
  if (work.kind == Workload::Kind::Pool)
    cycles = std::max(cycles, cyclesOfMoves(work, units, 1));
  if (work.kind == Workload::Kind::Contraction)
    return {(cycles + costs.call) / cpu.hertz, 0};
  // Scores, exponentials, weights.
  double tensors = work.kind == Workload::Kind::Softmax
                       ? units * double(work.queryHeads + 2 * work.heads)
                   : work.kind == Workload::Kind::Linear
                       ? units * double(work.heads * work.features)
                       : units * double(work.heads * work.valueFeatures);
  return {(cycles + costs.call) / cpu.hertz, 4 * tensors};
}
