// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-bufferize: one-shot bufferization around the regions of kernels.

#include "dialect/attn/AttnOps.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mixattn {
#define GEN_PASS_DEF_BUFFERIZEPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Drops copies of updated arguments to themselves, and reports others: an
/// update is in place, or an error (attn-bind-updates).
static LogicalResult checkUpdates(Operation *module) {
  bool isInPlace = true;
  module->walk([&](memref::CopyOp copy) {
    auto argument = dyn_cast<BlockArgument>(copy.getTarget());
    auto entry =
        argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                 : func::FuncOp();
    if (!entry || !entry.getArgAttr(argument.getArgNumber(), "attn.updates"))
      return;
    if (copy.getSource() == copy.getTarget())
      return copy.erase();
    isInPlace = false;
    auto name = entry.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                   "attn.name");
    copy.emitError("expected argument '")
        << name.getValue()
        << "' to be updated in place, but its new value is computed elsewhere";
  });
  return success(isInPlace);
}

namespace {

struct BufferizePass : mixattn::impl::BufferizePassBase<BufferizePass> {
  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    // A loop may carry a tensor that each turn computes anew.
    options.allowReturnAllocsFromLoops = true;
    options.opFilter.denyOperation([](Operation *op) {
      return op->getParentOfType<KernelOp>() != nullptr;
    });
    bufferization::BufferizationState state;
    if (failed(
            bufferization::runOneShotBufferize(getOperation(), options, state)))
      return signalPassFailure();
    if (failed(checkUpdates(getOperation())))
      signalPassFailure();
  }
};

} // namespace
