// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of mma's schedule for contractions: dense.

#include "passes/schedule/gpu/DenseSchedule.h"
#include "passes/schedule/gpu/GpuSchedule.h"
#include "passes/schedule/mma/Dense.h"
#include "passes/schedule/mma/DenseSizes.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

namespace {

class Dense final : public DenseSchedule {
public:
  explicit Dense(TargetAttr target)
      : DenseSchedule("dense",
                      "tiles of a contraction's result, which pointwise ops go "
                      "through before they are stored",
                      target) {}
  /// For what `better`, of the same target, does not take.
  Dense(TargetAttr target, std::unique_ptr<Schedule> better)
      : DenseSchedule("dense_mma", "the same by mma.sync, without TMA", target,
                      findGpuForMma(target)),
        better(std::move(better)) {}

  void emit(KernelOp kernel, const PlanCase &) const override {
    scheduleDense(kernel, gpu.sharedBytes);
  }

protected:
  std::string whyNoBlock(const Contraction &op) const override {
    if (std::string why = whyBetter(better.get(), op.op); !why.empty())
      return why;
    return DenseSizes(op, gpu.sharedBytes).why;
  }
  BlockCounts countStep(const Contraction &op) const override {
    return DenseSizes(op, gpu.sharedBytes).countStep();
  }

private:
  std::unique_ptr<Schedule> better;
};

} // namespace

std::unique_ptr<Schedule> mma::makeDense(TargetAttr target) {
  return std::make_unique<Dense>(target);
}

std::unique_ptr<Schedule> mma::makeDenseBelow(TargetAttr target,
                                              ScheduleTable::Factory better) {
  return std::make_unique<Dense>(target, better(target));
}
