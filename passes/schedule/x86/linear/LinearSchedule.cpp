// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of the schedule for linear attention: chunked_linear.

#include "passes/schedule/x86/linear/LinearSchedule.h"

#include "passes/schedule/x86/linear/Linear.h"
#include "passes/schedule/x86/shared/Calibration.h"
#include "passes/schedule/x86/shared/CpuSchedule.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::x86;

namespace {

class ChunkedLinear final : public CpuSchedule {
public:
  explicit ChunkedLinear(const CpuModel &cpu)
      : CpuSchedule(cpu, "chunked_linear",
                    "the state of linear attention, chunk by chunk",
                    {blockNumber}) {}

  bool isFor(Operation *op) const override {
    return isa<LinearAttentionOpInterface>(op);
  }
  std::string whyNot(Operation *op) const override {
    auto generic = dyn_cast<LinearGenericOp>(op);
    if (!generic)
      return "it is not the normal form of linear attention";
    LinearAttentionOpInterface attention = generic;
    if (attention.getW1() && attention.getCausal())
      return "an MLP mixes the states at each position, so chunks of keys do "
             "not add up";
    return whyNoCode(op);
  }
  SmallVector<PlanNumbers> propose(const Workload &work) const override {
    return {{64}, {32}};
  }
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
  void emit(KernelOp kernel, const PlanCase &plan) const override {
    scheduleLinear(kernel, sizesOf(plan));
  }
};

} // namespace

std::unique_ptr<Schedule> x86::makeChunkedLinear(TargetAttr target) {
  return std::make_unique<ChunkedLinear>(describeCpu(target));
}

/// The state of linear attention chunk by chunk; causal chunks also score their
/// own keys.
Prediction ChunkedLinear::predict(const Workload &work, const PlanCase &plan,
                                  const PlanSizes &sizes) const {
  using namespace calibration;
  double chunk = double(plan.get("block")), lanes = double(cpu.lanes);
  double queries = double(sizes.queries), keys = double(sizes.keys);
  double features = double(work.features), values = double(work.valueFeatures);
  double products =
      features * values *
      (queries * double(work.heads) + keys * double(work.keyHeads));
  if (work.isCausal)
    products += chunk * (features + values) * queries * double(work.heads);
  double slots =
      products * productSlots(work) / linearShare +
      queries * (work.plainOther * other + work.plainExps * slotsOfExp(0));
  double cycles = double(sizes.batch) * slots / lanes / cpu.multiplyAdds;
  double count = double(sizes.batch * work.groups);
  double state = features * (values + 1) * double(work.heads / work.groups);
  double bytes = 4 * (state + chunk * (2 * features + values + chunk));
  return {share(cycles, count, cycles / std::max(1.0, count), false), bytes};
}
