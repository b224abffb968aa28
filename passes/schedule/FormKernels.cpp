// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-form-kernels: wraps what a schedule takes as kernels on tensors.

#include "dialect/attn/AttnOps.h"
#include "passes/Passes.h"
#include "passes/plan/Kernels.h"
#include "passes/schedule/KernelMaker.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mixattn {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct FormKernelsPass : mixattn::impl::FormKernelsPassBase<FormKernelsPass> {
  using Base::Base;

  /// The case of the plan of `op` that has no kernels while another has, or
  /// null.
  static const PlanCase *findOdd(Operation *op, const Schedules &schedules) {
    PlanAttr plan = getPlan(op);
    if (!plan)
      return nullptr;
    auto isPlain = [&](const PlanCase &each) {
      return !findSchedule(schedules, each.algorithm)->formsKernels();
    };
    ArrayRef<PlanCase> cases = plan.getCases();
    const PlanCase *odd = llvm::find_if(cases, isPlain);
    return odd == cases.end() || llvm::all_of(cases, isPlain) ? nullptr : odd;
  }

  void runOnOperation() override {
    Schedules schedules = schedulesFor(TargetAttr::of(getOperation()));
    WalkResult result =
        getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (isa<KernelOp>(op))
            return WalkResult::skip();
          if (!canBePlanned(op))
            return WalkResult::advance();
          if (PlanAttr plan = getPlan(op))
            for (const PlanCase &each : plan.getCases())
              if (std::string why = whyNotBy(each, op, schedules);
                  !why.empty()) {
                op->emitOpError("cannot be computed as planned by '")
                    << each.algorithm.getValue() << "': " << why;
                return WalkResult::interrupt();
              }
          if (const PlanCase *odd = findOdd(op, schedules)) {
            op->emitOpError(
                "expected kernels for all cases of its plan, or for "
                "none, but there are none for '")
                << odd->algorithm.getValue() << "'";
            return WalkResult::interrupt();
          }
          return WalkResult::advance();
        });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (const KernelOps &each : findKernels(getOperation(), schedules))
      makeKernel(each.members, each.anchor->getLoc());
  }
};

} // namespace
