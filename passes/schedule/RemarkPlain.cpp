// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-remark-plain: says which loops no kernel computes.

#include "dialect/attn/AttnOps.h"
#include "passes/Passes.h"
#include "passes/plan/Schedule.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Remarks.h"

namespace mixattn {
#define GEN_PASS_DEF_REMARKPLAINPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Whether `op` becomes loops. What can be planned was remarked on with its
/// plan; a filled tensor is where others sum up; one number takes no loops;
/// what nobody reads will not be computed. Stages are decomposed.
static bool isPlain(Operation *op) {
  if (op->use_empty())
    return false;
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  if (!linalg)
    return op->hasTrait<IsStage>();
  return !isa<linalg::FillOp>(op) && !canBePlanned(op) &&
         linalg.getNumLoops() > 0;
}

namespace {

struct RemarkPlainPass : mixattn::impl::RemarkPlainPassBase<RemarkPlainPass> {
  void runOnOperation() override {
    TargetAttr target = TargetAttr::of(getOperation());
    bool isGpu = target.getFamily() != TargetFamily::X86;
    Schedules schedules = schedulesFor(target);
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<KernelOp>(op))
        return WalkResult::skip();
      if (isPlain(op))
        remark::missed(op->getLoc(), remark::RemarkOpts::name("plain").category(
                                         "attn-remark-plain"))
            << remark::reason("'{0}' is {1}{2}", op->getName().getStringRef(),
                              isGpu ? "an element a thread"
                                    : "loops on one thread",
                              isa<linalg::LinalgOp>(op) ? whyNone(op, schedules)
                                                        : std::string());
      return WalkResult::advance();
    });
  }
};

} // namespace
