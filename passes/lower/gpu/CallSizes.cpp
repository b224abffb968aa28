// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells numbers that follow from the sizes of a call from others.

#include "passes/lower/gpu/CallSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mixattn;

bool mixattn::isCallSize(Value number) {
  if (auto argument = dyn_cast<BlockArgument>(number))
    return isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  Operation *op = number.getDefiningOp();
  if (isa<memref::DimOp>(op))
    return true;
  return isa<arith::MulIOp, arith::AddIOp, arith::SubIOp>(op) &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           return getConstantIntValue(operand) || isCallSize(operand);
         });
}
