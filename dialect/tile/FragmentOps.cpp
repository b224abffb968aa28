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

LogicalResult StoreOp::verify() {
  int64_t columns = cast<MemRefType>(getTarget().getType()).getDimSize(1);
  if (ShapedType::isDynamic(columns) || columns > 2 * lengthOf(getFragment()))
    return emitOpError("expected a fragment with all columns of the matrix");
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
  return verifyPlace(*this, 3, getIndices());
}
