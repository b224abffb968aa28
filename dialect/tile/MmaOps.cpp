// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verification of the ops of mma.

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::tile;

bool tile::isShared(Type type) {
  auto buffer = cast<MemRefType>(type);
  SmallVector<int64_t> strides;
  int64_t offset;
  return buffer.hasStaticShape() &&
         gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(buffer) &&
         succeeded(buffer.getStridesAndOffset(strides, offset)) &&
         strides.back() == 1 && !ShapedType::isDynamic(strides.front());
}

static int64_t lengthOf(Value vector) {
  return cast<VectorType>(vector.getType()).getDimSize(0);
}

LogicalResult MmaLoadOp::verify() {
  int64_t columns = cast<MemRefType>(getSource().getType()).getDimSize(1);
  if (ShapedType::isDynamic(columns) || columns % 16 ||
      lengthOf(getOperand()) != columns / 2)
    return emitOpError("expected a multiple of 16 columns, and half as many "
                       "elements in the result");
  return success();
}

LogicalResult MmaOperandOp::verify() {
  auto tile = cast<MemRefType>(getTile().getType());
  if (tile.getDimSize(0) % 16 || tile.getDimSize(1) % 16 ||
      lengthOf(getOperand()) != tile.getDimSize(1) / 2)
    return emitOpError("expected multiples of 16 rows and columns, and half as "
                       "many elements in the result as columns");
  return success();
}

LogicalResult MmaProductOp::verify() {
  auto tile = cast<MemRefType>(getTile().getType());
  int64_t inner = tile.getDimSize(getTransposed() ? 1 : 0);
  int64_t columns = tile.getDimSize(getTransposed() ? 0 : 1);
  if (inner % 16 || columns % 16)
    return emitOpError("expected sizes of the tile that are multiples of 16");
  if (lengthOf(getOperand()) != inner / 2 ||
      lengthOf(getAccumulator()) != columns / 2)
    return emitOpError("expected fragments of 16 rows that fit the tile");
  if (cast<VectorType>(getOperand().getType()).getElementType() !=
      tile.getElementType())
    return emitOpError("expected one element type on both sides");
  return success();
}
