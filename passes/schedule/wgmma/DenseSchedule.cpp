// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of sm_90a's schedule for contractions: dense.

#include "passes/schedule/gpu/DenseSchedule.h"
#include "passes/schedule/wgmma/Dense.h"
#include "passes/schedule/wgmma/DenseSizes.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::wgmma;

namespace {

class Dense final : public DenseSchedule {
public:
  explicit Dense(TargetAttr target)
      : DenseSchedule("dense",
                      "one thread fills rings of both sides, warpgroups add up "
                      "tiles of a contraction's result, which pointwise ops go "
                      "through before they are stored",
                      target) {}

  void emit(KernelOp kernel, const PlanCase &) const override {
    scheduleDense(kernel, gpu.sharedBytes);
  }

protected:
  std::string whyNoBlock(const Contraction &op) const override {
    return DenseSizes(op, gpu.sharedBytes).why;
  }
  BlockCounts countStep(const Contraction &op) const override {
    return DenseSizes(op, gpu.sharedBytes).countStep();
  }
};

} // namespace

std::unique_ptr<Schedule> wgmma::makeDense(TargetAttr target) {
  return std::make_unique<Dense>(target);
}
