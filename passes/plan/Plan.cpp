// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-plan: chooses how each attention is computed.

#include "passes/Passes.h"
#include "passes/plan/Explain.h"
#include "passes/plan/Planner.h"

#include "mlir/IR/Remarks.h"

namespace mixattn {
#define GEN_PASS_DEF_PLANPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

static remark::RemarkOpts remarkOf(const PlanCase &usual) {
  return remark::RemarkOpts::name(usual.algorithm).category("attn-plan");
}

/// Says what was chosen, or why the plain path remains.
static void note(Operation *op, const Planner &planner, PlanAttr plan,
                 TargetAttr target) {
  const PlanCase &usual = plan.getCases().back();
  if (!planner.scheduleOf(usual).formsKernels()) {
    remark::missed(op->getLoc(), remarkOf(usual))
        << remark::reason("{0}", whyUnfused(planner));
    return;
  }
  remark::passed(op->getLoc(), remarkOf(usual))
      << remark::add("{0}", toText(plan))
      << remark::reason("{0}", whyChosen(planner, usual, target));
}

namespace {

struct PlanPass : mixattn::impl::PlanPassBase<PlanPass> {
  using Base::Base;

  LogicalResult planOp(Operation *op, const FunctionSizes &sizes,
                       const PlanTarget &target) {
    Planner planner(op, sizes, target);
    std::string whyNot = planner.whyNotForced();
    if (!whyNot.empty())
      return op->emitOpError("cannot be computed as planned by '")
             << force << "': " << whyNot;
    if (!planner.hasPlan())
      return op->emitOpError("has no schedule on ")
             << target.target.getChip() << whyNone(op, target.schedules);
    PlanAttr plan = PlanAttr::get(&getContext(), planner.makePlan());
    setPlan(op, plan);
    note(op, planner, plan, target.target);
    return success();
  }

  void runOnOperation() override {
    PlanTarget target(TargetAttr::of(getOperation()));
    if (!force.empty()) {
      std::string error;
      target.forced = parseForcedPlan(force, error);
      if (target.forced)
        error = whyNoPlan(*target.forced, target.schedules);
      if (!error.empty()) {
        emitError(getOperation().getLoc()) << error;
        return signalPassFailure();
      }
    }
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      std::optional<FunctionSizes> sizes;
      WalkResult result = function.walk([&](Operation *op) {
        if (!canBePlanned(op))
          return WalkResult::advance();
        if (!sizes)
          sizes.emplace(function);
        return succeeded(planOp(op, *sizes, target)) ? WalkResult::advance()
                                                     : WalkResult::interrupt();
      });
      if (result.wasInterrupted())
        return signalPassFailure();
    }
  }
};

} // namespace
