// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads operands of an attention from buffers.

#include "passes/schedule/KernelBuffers.h"

using namespace mlir;
using namespace mixattn;

Value KernelBuffers::matrixAt(ImplicitLocOpBuilder &b, Value buffer,
                              ArrayRef<Value> leading) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> offsets, sizes,
      strides(type.getRank(), b.getIndexAttr(1));
  for (int64_t i = 0; i < type.getRank(); ++i) {
    bool isLeading = i < type.getRank() - 2;
    offsets.push_back(isLeading ? OpFoldResult(leading[i])
                                : OpFoldResult(b.getIndexAttr(0)));
    sizes.push_back(isLeading ? OpFoldResult(b.getIndexAttr(1))
                              : memref::getMixedSize(b, b.getLoc(), buffer, i));
  }
  if (leading.empty())
    return buffer;
  auto matrix = memref::SubViewOp::inferRankReducedResultType(
      type.getShape().take_back(2), type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, matrix, buffer, offsets, sizes, strides);
}

Value KernelBuffers::headsAt(ImplicitLocOpBuilder &b, Value buffer, Value batch,
                             Value head, int64_t count, ArrayRef<Value> rest) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t rank = type.getRank(), firstKept = 3 + int64_t(rest.size());
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)),
      sizes(rank, b.getIndexAttr(1)), strides(rank, b.getIndexAttr(1));
  offsets[0] = batch;
  offsets[1] = head;
  sizes[1] = b.getIndexAttr(count);
  SmallVector<int64_t> shape = {count, type.getDimSize(2)};
  for (int64_t i = 2; i < rank; ++i) {
    if (i > 2 && i < firstKept) {
      offsets[i] = rest[i - 3];
      continue;
    }
    sizes[i] = memref::getMixedSize(b, b.getLoc(), buffer, i);
    if (i > 2)
      shape.push_back(type.getDimSize(i));
  }
  auto view = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, view, buffer, offsets, sizes, strides);
}

Value KernelBuffers::emitRead(OpBuilder &builder, Location loc, Value tensor,
                              ValueRange indices) {
  return asElement(
      builder, loc, tensor,
      memref::LoadOp::create(builder, loc, bufferOf(tensor), indices));
}

Value KernelBuffers::asElement(OpBuilder &builder, Location loc, Value tensor,
                               Value element) {
  bool isBoolean =
      cast<RankedTensorType>(tensor.getType()).getElementType().isInteger(1);
  if (!isBoolean || element.getType().isInteger(1))
    return element;
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(element.getType(), 0));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, element,
                               zero);
}

Value KernelBuffers::emitSize(OpBuilder &builder, Location loc, Value tensor,
                              Value dim) {
  return memref::DimOp::create(builder, loc, bufferOf(tensor), dim);
}

Value KernelBuffers::emitNumber(OpBuilder &builder, Value value) {
  if (isa<BlockArgument>(value))
    return bufferOf(value);
  // Other numbers come from an op without operands.
  return builder.clone(*value.getDefiningOp())->getResult(0);
}
