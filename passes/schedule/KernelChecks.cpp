// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks kernels before they are scheduled.

#include "passes/schedule/KernelChecks.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mixattn;

static LogicalResult checkBuffers(KernelOp kernel) {
  for (Type type : kernel->getOperandTypes()) {
    if (isa<TensorType>(type))
      return kernel.emitOpError("expected buffers, as attn-bufferize makes "
                                "them, but got ")
             << type;
    auto buffer = dyn_cast<MemRefType>(type);
    if (!buffer || buffer.getRank() == 0)
      continue;
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(buffer.getStridesAndOffset(strides, offset)) ||
        strides.back() != 1)
      return kernel.emitOpError("expected buffers with an innermost stride of "
                                "1, but got ")
             << type;
  }
  return success();
}

LogicalResult mixattn::checkKernel(KernelOp kernel) {
  if (!kernel->getParentOfType<FunctionOpInterface>())
    return kernel.emitOpError("expected to be in a function");
  if (failed(checkBuffers(kernel)))
    return failure();
  Operation *op = kernel.getComputation();
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (Value value : used) {
    Operation *made = value.getDefiningOp();
    if (made && (isa<TensorType>(value.getType()) || made->getNumOperands()))
      return kernel.emitOpError("expected what it computes to take arguments "
                                "of its region, but got the result of '")
             << made->getName() << "'";
  }
  return success();
}
