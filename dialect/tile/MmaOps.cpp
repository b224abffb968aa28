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

/// Whether `left` has sums of `terms` terms for 16 rows, or for those of all
/// warps.
static bool isLeftOf(Value left, int64_t terms) {
  if (auto tile = dyn_cast<MemRefType>(left.getType()))
    return tile.getDimSize(0) % 16 == 0 && tile.getDimSize(1) == terms;
  return lengthOf(left) == terms / 2;
}

LogicalResult MmaProductOp::verify() {
  auto tile = cast<MemRefType>(getTile().getType());
  int64_t inner = tile.getDimSize(getTransposed() ? 1 : 0);
  int64_t columns = tile.getDimSize(getTransposed() ? 0 : 1);
  if (inner % 16 || columns % 16)
    return emitOpError("expected sizes of the tile that are multiples of 16");
  if (getLefts().empty() || getLefts().size() != getAccumulators().size())
    return emitOpError("expected a left side for each accumulator, and one at "
                       "least");
  for (auto [left, accumulator] :
       llvm::zip_equal(getLefts(), getAccumulators())) {
    if (!isLeftOf(left, inner) || lengthOf(accumulator) != columns / 2)
      return emitOpError("expected left sides and sums of 16 rows that fit the "
                         "tile");
    if (getElementTypeOrSelf(left.getType()) != tile.getElementType())
      return emitOpError("expected one element type on both sides");
  }
  return success();
}
