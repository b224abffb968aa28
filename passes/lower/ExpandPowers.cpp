// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-expand-powers: powers with integer exponents become loops.

#include "passes/Passes.h"

#include "mlir/Conversion/MathToFuncs/MathToFuncs.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace mixattn {
#define GEN_PASS_DEF_EXPANDPOWERSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct ExpandPowersPass
    : mixattn::impl::ExpandPowersPassBase<ExpandPowersPass> {
  void runOnOperation() override {
    bool hasPowers = getOperation()
                         .walk([](Operation *op) {
                           return isa<math::IPowIOp, math::FPowIOp>(op)
                                      ? WalkResult::interrupt()
                                      : WalkResult::advance();
                         })
                         .wasInterrupted();
    if (!hasPowers)
      return;
    ConvertMathToFuncsOptions options;
    options.minWidthOfFPowIExponent = 1;
    OpPassManager expand(ModuleOp::getOperationName());
    expand.addPass(createConvertMathToFuncs(options));
    expand.addPass(
        createInlinerPass(/*opPipelines=*/{}, [](OpPassManager &) {}));
    expand.addPass(createSymbolDCEPass());
    if (failed(runPipeline(expand, getOperation())))
      signalPassFailure();
  }
};

} // namespace
