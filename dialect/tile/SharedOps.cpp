// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verification of the ops on tiles in shared memory.

#include "dialect/tile/TileOps.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::tile;

LogicalResult tile::verifyOffset(Operation *op, int64_t offset,
                                 SharedType tile) {
  if (offset % tile.getAlignment())
    return op->emitOpError("expected an offset that ")
           << tile.getAlignment() << " divides, but got " << offset;
  return success();
}

LogicalResult SharedTileOp::verify() {
  return verifyOffset(*this, getOffset(), getTile().getType());
}

LogicalResult SharedRowsOp::verify() {
  SharedType from = getSource().getType(), to = getTile().getType();
  if (from.getColumns() != to.getColumns() ||
      from.getRows() < (to.getRows() - 1) * to.getEvery() + 1 ||
      from.getElementType() != to.getElementType() || from.getEvery() != 1)
    return emitOpError("expected some of the rows, with all columns, but got ")
           << to << " of " << from;
  return success();
}

LogicalResult SharedWriteRowOp::verify() {
  auto type = cast<VectorType>(getElements().getType());
  int64_t bytes = type.getNumElements() * getTile().getType().getElementBytes();
  constexpr int64_t most = 16;
  if (type.getElementType() != getTile().getType().getElementType() ||
      type.getRank() != 1 || bytes > most || bytes & (bytes - 1))
    return emitOpError("expected elements of the tile that take 2, 4, 8 or 16 "
                       "bytes, but got ")
           << type;
  return success();
}

LogicalResult FetchOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  if (source.getRank() == 0 || int64_t(getIndices().size()) != source.getRank())
    return emitOpError("expected an index for each of ")
           << source.getRank() << " dims, one at least, but got "
           << getIndices().size();
  if (source.getElementType() != getTile().getType().getElementType())
    return emitOpError("expected one element type, but got ")
           << source.getElementType() << " and "
           << getTile().getType().getElementType();
  if (source.getStridesAndOffset().first.back() != 1)
    return emitOpError("expected a source that is contiguous along its last "
                       "dim");
  return success();
}
