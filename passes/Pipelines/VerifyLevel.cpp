// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-verify-level: checks the contract of a level of the pipeline.

#include "dialect/attn/AttnOps.h"
#include "passes/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mixattn {
#define GEN_PASS_DEF_VERIFYLEVELPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

static bool usesTensors(Operation *op) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    return llvm::any_of(function.getArgumentTypes(), isTensor) ||
           llvm::any_of(function.getResultTypes(), isTensor);
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

namespace {

struct VerifyLevelPass : mixattn::impl::VerifyLevelPassBase<VerifyLevelPass> {
  using Base::Base;

  /// Whether the level forbids `op`.
  bool isForbidden(Operation *op) const {
    if (level == "normal" || level == "planned")
      return isa<GeneralizableOpInterface>(op);
    if (level == "bufferized")
      return !op->getParentOfType<KernelOp>() &&
             (usesTensors(op) ||
              (isa_and_present<AttnDialect>(op->getDialect()) &&
               !isa<KernelOp>(op)));
    if (level == "tiled")
      return isa_and_present<AttnDialect>(op->getDialect()) || usesTensors(op);
    return !isa<ModuleOp>(op) &&
           !isa_and_present<LLVM::LLVMDialect, omp::OpenMPDialect>(
               op->getDialect());
  }

  void runOnOperation() override {
    if (!llvm::is_contained(
            {"normal", "planned", "bufferized", "tiled", "llvm"}, level)) {
      emitError(getOperation().getLoc(),
                "expected the level normal, planned, bufferized, tiled or "
                "llvm, but got '")
          << level << "'";
      return signalPassFailure();
    }
    // Pass managers may leave it to this pass.
    if (failed(verify(getOperation())))
      return signalPassFailure();
    WalkResult result = getOperation()->walk([&](Operation *op) {
      if (level == "planned" && canBePlanned(op) && !getPlan(op)) {
        op->emitOpError("has no plan at level 'planned'");
        return WalkResult::interrupt();
      }
      if (!isForbidden(op))
        return WalkResult::advance();
      op->emitOpError("is still present at level '") << level << "'";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
