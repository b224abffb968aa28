// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-schedule-kernels: turns kernels into code of the target, by their plans.

#include "dialect/tile/TileOps.h"
#include "passes/Passes.h"
#include "passes/profile/KernelMark.h"
#include "passes/schedule/KernelChecks.h"
#include "passes/schedule/Stages.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mixattn {
#define GEN_PASS_DEF_SCHEDULEKERNELSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Whether attn-stage-kernels has something to do for `op`, which is computed
/// as `cases` say.
static bool hasStages(Operation *op, ArrayRef<PlanCase> cases,
                      const Schedules &schedules) {
  if (cases.size() > 1)
    return true;
  return needsStages(op, *findSchedule(schedules, cases.front().algorithm));
}

namespace {

struct ScheduleKernelsPass
    : mixattn::impl::ScheduleKernelsPassBase<ScheduleKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    Schedules schedules = schedulesFor(TargetAttr::of(getOperation()));
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels) {
      if (failed(checkKernel(kernel, schedules)))
        return signalPassFailure();
      Operation *op = kernel.getAnchor();
      if (hasStages(op, casesOf(kernel, schedules), schedules)) {
        op->emitOpError("expected one case of a plan and no stages to make, "
                        "as attn-stage-kernels leaves them");
        return signalPassFailure();
      }
    }
    for (KernelOp kernel : kernels) {
      PlanCase plan = casesOf(kernel, schedules).front();
      kernel->setLoc(withStage(kernel.getLoc(), plan.algorithm.getValue()));
      findSchedule(schedules, plan.algorithm)->emit(kernel, plan);
    }
  }
};

} // namespace
