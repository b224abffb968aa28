// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verification of the ops on fragments.

#include "dialect/tile/TileOps.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::tile;

static int64_t lengthOf(Value vector) {
  return cast<VectorType>(vector.getType()).getDimSize(0);
}

LogicalResult MapOp::verify() {
  Block &block = getBody().front();
  SmallVector<Type> types(getNumOperands(), Float32Type::get(getContext()));
  types[0] = types[1] = IndexType::get(getContext());
  if (block.getArgumentTypes() != ArrayRef<Type>(types))
    return emitOpError("expected a region with the row, the column and an "
                       "element per operand as arguments");
  auto yield = dyn_cast<FragmentYieldOp>(block.getTerminator());
  if (!yield || yield.getElements().size() != getNumResults())
    return emitOpError("expected 'tile.yield' with an element per result");
  if (getNumResults() == 0 || !llvm::all_equal(getResultTypes()))
    return emitOpError("expected results of one type");
  if (int64_t exps = getExps().value_or(allExps); exps < 1 || exps > allExps)
    return emitOpError("expected 1 to 8 exponentials of every eight, but got ")
           << exps;
  for (Value operand : getOperands_())
    if (lengthOf(operand) != 2 && operand.getType() != getResult(0).getType())
      return emitOpError("expected rows, or fragments of the results' type");
  return success();
}

LogicalResult FirstOfPairOp::verify() {
  auto map = cast<MapOp>((*this)->getParentOp());
  if (getColumn() != map.getBody().getArgument(1))
    return emitOpError("expected the column of the region's element");
  return success();
}

LogicalResult tile::verifyTurns(Operation *op, MemRefType buffer,
                                int64_t dims) {
  if (buffer.getRank() == dims && buffer.isDynamicDim(0))
    return op->emitOpError("expected a known first dim, whose rows come in "
                           "turn, but got ")
           << buffer;
  return success();
}

LogicalResult StoreOp::verify() {
  auto target = cast<MemRefType>(getTarget().getType());
  int64_t columns = target.getShape().back();
  if (ShapedType::isDynamic(columns) || columns > 2 * lengthOf(getFragment()))
    return emitOpError("expected a fragment with all columns of the matrix");
  return verifyTurns(*this, target, /*dims=*/3);
}

LogicalResult PutOp::verify() {
  if (getTile().getType().getColumns() != 2 * lengthOf(getFragment()))
    return emitOpError("expected a fragment with as many columns as the tile");
  return success();
}

static LogicalResult verifyPlace(Operation *op, int64_t dims,
                                 OperandRange indices) {
  if (int64_t(indices.size()) != dims)
    return op->emitOpError("expected an index for each of ")
           << dims << " dims, but got " << indices.size();
  return success();
}

LogicalResult LoadRowsOp::verify() {
  return verifyPlace(*this, isa<SharedType>(getSource().getType()) ? 2 : 3,
                     getIndices());
}

LogicalResult StoreRowsOp::verify() {
  auto target = cast<MemRefType>(getTarget().getType());
  if (failed(verifyTurns(*this, target, /*dims=*/2)))
    return failure();
  return verifyPlace(*this, target.getRank() == 2 ? 1 : 3, getIndices());
}
