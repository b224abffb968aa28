// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-verify-level: checks the contract of a level of the pipeline.

#include "dialect/attn/AttnOps.h"
#include "dialect/tile/TileOps.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

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

/// Whether `op` belongs to an entry that launches kernels: it launches one,
/// computes with numbers, asks for sizes and views of buffers, or chooses by a
/// condition which kernels are launched.
static bool launches(Operation *op) {
  if (auto choice = dyn_cast<scf::IfOp>(op))
    return choice.getNumResults() == 0;
  return isa<FunctionOpInterface, func::ReturnOp, scf::YieldOp, tile::GridOp,
             tile::LaunchOp, tile::MultiprocessorsOp, memref::DimOp,
             ViewLikeOpInterface>(op) ||
         isa_and_present<arith::ArithDialect>(op->getDialect());
}

namespace {

struct VerifyLevelPass : mixattn::impl::VerifyLevelPassBase<VerifyLevelPass> {
  using Base::Base;

  /// Whether the level forbids `op`, on any target.
  bool isForbidden(Operation *op) const {
    switch (level) {
    case Level::Graph:
      return false;
    case Level::Normal:
    case Level::Planned:
      return isa<GeneralizableOpInterface>(op);
    case Level::Bufferized:
      return !op->getParentOfType<KernelOp>() &&
             (usesTensors(op) ||
              (isa_and_present<AttnDialect>(op->getDialect()) &&
               !isa<KernelOp, AppendOp>(op)));
    case Level::Tiled:
      return isa_and_present<AttnDialect>(op->getDialect()) || usesTensors(op);
    case Level::Llvm:
      return !isa<ModuleOp>(op) &&
             !isa_and_present<LLVM::LLVMDialect, omp::OpenMPDialect>(
                 op->getDialect());
    }
    llvm_unreachable("all levels are known");
  }

  /// Checks one op of a module for a GPU at level tiled or llvm.
  LogicalResult checkForGpu(Operation *op) const {
    if (isa<ModuleOp, gpu::GPUModuleOp>(op))
      return success();
    if (level == Level::Tiled && (op->getParentOfType<tile::GridOp>() ||
                                  isa<memref::AllocOp, memref::DeallocOp>(op)))
      // Buffers become parts of the workspace.
      return success();
    if (!op->getParentOfType<gpu::GPUModuleOp>()) {
      if (launches(op))
        return success();
      return op->emitOpError("would compute on the host what lies in device "
                             "memory: a GPU's entry launches kernels and "
                             "computes sizes, and there is no kernel for this");
    }
    if (level == Level::Llvm &&
        !isa_and_present<LLVM::LLVMDialect, NVVM::NVVMDialect>(
            op->getDialect()))
      return op->emitOpError("is still present at level '")
             << nameOf(level) << "'";
    return success();
  }

  LogicalResult check(Operation *op, bool isGpu) const {
    if (level == Level::Planned && canBePlanned(op) && !getPlan(op))
      return op->emitOpError("has no plan at level 'planned'");
    bool isScheduled = level == Level::Tiled || level == Level::Llvm;
    if (isGpu && isScheduled && !isa_and_present<AttnDialect>(op->getDialect()))
      return checkForGpu(op);
    if (isForbidden(op))
      return op->emitOpError("is still present at level '")
             << nameOf(level) << "'";
    return success();
  }

  void runOnOperation() override {
    // Pass managers may leave it to this pass.
    if (failed(verify(getOperation())))
      return signalPassFailure();
    bool isGpu =
        TargetAttr::of(getOperation()).getFamily() != TargetFamily::X86;
    WalkResult result = getOperation()->walk(
        [&](Operation *op) { return WalkResult(check(op, isGpu)); });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
