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
  if (from.getColumns() != to.getColumns() || from.getRows() < to.getRows() ||
      from.getElementType() != to.getElementType())
    return emitOpError("expected some of the rows, with all columns, but got ")
           << to << " of " << from;
  return success();
}
