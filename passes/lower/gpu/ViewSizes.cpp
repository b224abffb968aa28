// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of views of buffers.

#include "passes/lower/gpu/ViewSizes.h"

#include "passes/body/IndexMath.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mixattn;

static OpFoldResult sizeOf(ImplicitLocOpBuilder &b, Value buffer, int64_t dim);

static OpFoldResult sizeOf(memref::SubViewOp op, int64_t dim) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  int64_t inSource = dropped.find_first_unset();
  for (; dim > 0; --dim)
    inSource = dropped.find_next_unset(inSource);
  return op.getMixedSizes()[inSource];
}

static OpFoldResult sizeOf(ImplicitLocOpBuilder &b, memref::CollapseShapeOp op,
                           int64_t dim) {
  IndexMath at(b);
  Value size = at.value(1);
  ReassociationIndices joined = op.getReassociationIndices()[dim];
  for (int64_t each : joined)
    size = at.mul(size, sizeOf(b, op.getSrc(), each));
  return size;
}

/// The size of `dim` of `buffer`: of what it is a view of, where it is one.
static OpFoldResult sizeOf(ImplicitLocOpBuilder &b, Value buffer, int64_t dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return b.getIndexAttr(type.getDimSize(dim));
  auto ask = [&](Operation *) -> OpFoldResult {
    return b.createOrFold<memref::DimOp>(buffer, dim);
  };
  Operation *op = buffer.getDefiningOp();
  if (!op)
    return ask(op);
  return TypeSwitch<Operation *, OpFoldResult>(op)
      .Case([&](memref::SubViewOp op) { return sizeOf(op, dim); })
      .Case([&](memref::ExpandShapeOp op) {
        return op.getMixedOutputShape()[dim];
      })
      .Case([&](memref::CollapseShapeOp op) { return sizeOf(b, op, dim); })
      .Case([&](memref::CastOp op) { return sizeOf(b, op.getSource(), dim); })
      .Default(ask);
}

Value mixattn::emitSize(ImplicitLocOpBuilder &b, Value buffer, int64_t dim) {
  return IndexMath(b).value(sizeOf(b, buffer, dim));
}
