// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verification of the ops of wgmma.

#include "dialect/tile/WgmmaOps.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::tile;

#define GET_OP_CLASSES
#include "dialect/tile/WgmmaOps.cpp.inc"

void TileDialect::registerWgmma() {
  addOperations<
#define GET_OP_LIST
#include "dialect/tile/WgmmaOps.cpp.inc"
      >();
}

LogicalResult WgmmaRingOp::verify() {
  return verifyOffset(*this, getOffset(), getRing().getType().getTile());
}

LogicalResult WgmmaRolesOp::verify() {
  for (int64_t registers : {getProducerRegisters(), getConsumerRegisters()})
    if (registers % 8 || registers < 24 || registers > 256)
      return emitOpError("expected multiples of 8 from 24 to 256 as registers, "
                         "but got ")
             << registers;
  return success();
}

/// The indices of a copy by TMA: those of all dims but the innermost.
static LogicalResult verifyIndices(Operation *op, ValueRange indices) {
  if (indices.empty() || indices.size() > 4)
    return op->emitOpError("expected 1 to 4 indices, but got ")
           << indices.size();
  return success();
}

LogicalResult WgmmaFillOp::verify() {
  return verifyIndices(*this, getIndices());
}

LogicalResult WgmmaStoreOp::verify() {
  int64_t columns = 2 * getFragment().getType().getDimSize(0);
  if (columns % 16)
    return emitOpError("expected a multiple of 16 columns, but got ")
           << columns;
  return verifyIndices(*this, getIndices());
}

LogicalResult WgmmaProductOp::verify() {
  auto tile = getTile().getType();
  int64_t terms = getTransposed() ? tile.getColumns() : tile.getRows();
  int64_t columns = getTransposed() ? tile.getRows() : tile.getColumns();
  Type left = getLeft().getType(), element;
  int64_t leftTerms;
  if (auto shared = dyn_cast<SharedType>(left)) {
    element = shared.getElementType();
    leftTerms = shared.getColumns();
  } else {
    element = cast<VectorType>(left).getElementType();
    leftTerms = 2 * cast<VectorType>(left).getDimSize(0);
  }
  if (terms != leftTerms || terms % 16)
    return emitOpError("expected as many terms on both sides, a multiple of "
                       "16, but got ")
           << leftTerms << " and " << terms;
  if (columns % 8 || columns > 256)
    return emitOpError("expected a multiple of 8 columns, at most 256, but "
                       "got ")
           << columns;
  if (element != tile.getElementType())
    return emitOpError("expected one element type on both sides, but got ")
           << element << " and " << tile.getElementType();
  VectorType fragment = getProduct().getType().getFragment();
  if (fragment.getShape() != ArrayRef<int64_t>{columns / 2} ||
      !fragment.getElementType().isF32() ||
      (getAccumulator() && getAccumulator().getType() != fragment))
    return emitOpError("expected fragments of ")
           << columns / 2 << " f32, as the product has columns";
  return success();
}
