// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verification of the ops of mma.

#include "dialect/tile/TileOps.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::tile;

static int64_t lengthOf(Value vector) {
  return cast<VectorType>(vector.getType()).getDimSize(0);
}

LogicalResult MmaLoadOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  int64_t columns = source.getShape().back();
  if (ShapedType::isDynamic(columns) ||
      lengthOf(getOperand()) != int64_t(llvm::alignTo(columns, 16)) / 2)
    return emitOpError("expected a known number of columns, and a result of "
                       "half as many elements as the next multiple of 16");
  return verifyTurns(*this, source, /*dims=*/3);
}

LogicalResult MmaCopyOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  int64_t columns = source.getShape().back();
  if (ShapedType::isDynamic(columns) ||
      columns > getTile().getType().getColumns())
    return emitOpError("expected a tile with all columns of the source");
  return verifyTurns(*this, source, /*dims=*/3);
}

/// Whether `left`, or its transpose where it `isTurned`, has sums of `terms`
/// terms for 16 rows, or for those of all warps.
static bool isLeftOf(Value left, int64_t terms, bool isTurned) {
  auto tile = dyn_cast<SharedType>(left.getType());
  if (!tile)
    return !isTurned && lengthOf(left) == terms / 2;
  int64_t rows = isTurned ? tile.getColumns() : tile.getRows();
  return rows % 16 == 0 &&
         (isTurned ? tile.getRows() : tile.getColumns()) == terms;
}

static Type elementTypeOf(Value left) {
  if (auto tile = dyn_cast<SharedType>(left.getType()))
    return tile.getElementType();
  return getElementTypeOrSelf(left.getType());
}

LogicalResult MmaProductOp::verify() {
  SharedType tile = getTile().getType();
  int64_t inner = getTransposed() ? tile.getColumns() : tile.getRows();
  int64_t columns = getTransposed() ? tile.getRows() : tile.getColumns();
  if (inner % 16 || columns % 16)
    return emitOpError("expected sizes of the tile that are multiples of 16");
  if (getLefts().empty() || getLefts().size() != getAccumulators().size())
    return emitOpError("expected a left side for each accumulator, and one at "
                       "least");
  for (auto [left, accumulator] :
       llvm::zip_equal(getLefts(), getAccumulators())) {
    if (!isLeftOf(left, inner, getTurned()) ||
        lengthOf(accumulator) != columns / 2)
      return emitOpError("expected left sides and sums of 16 rows that fit the "
                         "tile");
    if (elementTypeOf(left) != tile.getElementType())
      return emitOpError("expected one element type on both sides");
  }
  return success();
}
