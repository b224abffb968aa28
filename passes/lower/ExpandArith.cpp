// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-expand-arith: expands arithmetic that the target has no instruction for.

#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"

namespace mixattn {
#define GEN_PASS_DEF_EXPANDARITHPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct ExpandArithPass : mixattn::impl::ExpandArithPassBase<ExpandArithPass> {
  void runOnOperation() override {
    arith::ArithExpandOpsPassOptions options;
    options.includeBf16 = !TargetAttr::of(getOperation()).hasBf16Conversion();
    OpPassManager expand(getOperation()->getName());
    expand.addPass(arith::createArithExpandOpsPass(options));
    if (failed(runPipeline(expand, getOperation())))
      signalPassFailure();
  }
};

} // namespace
