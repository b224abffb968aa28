// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of tensors that a kernel of rows holds, from its operands'.

#include "passes/schedule/RowSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

Value mixattn::emitSize(ImplicitLocOpBuilder &b, Value tensor, unsigned dim,
                        OutsideOf outsideOf) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantIndexOp::create(b, type.getDimSize(dim));
  if (auto result = dyn_cast<OpResult>(tensor)) {
    if (auto made = dyn_cast<DestinationStyleOpInterface>(result.getOwner()))
      return emitSize(b, made.getTiedOpOperand(result)->get(), dim, outsideOf);
    auto empty = cast<tensor::EmptyOp>(result.getOwner());
    return outsideOf(empty.getDynamicSize(dim));
  }
  return b.createOrFold<memref::DimOp>(outsideOf(tensor), dim);
}

Value mixattn::emitLoopSize(ImplicitLocOpBuilder &b, const RowLoops &loops,
                            unsigned loop, OutsideOf outsideOf) {
  AffineExpr dim = getAffineDimExpr(loop, b.getContext());
  for (OpOperand &operand : loops.getOp()->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      if (std::optional<unsigned> position =
              loops.mapOf(operand).getResultPosition(dim))
        return emitSize(b, operand.get(), *position, outsideOf);
  llvm_unreachable("each loop walks over a dim of an operand");
}
