// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile dialect: registration and verification.

#include "dialect/tile/TileOps.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::tile;

#include "dialect/tile/TileDialect.cpp.inc"

void TileDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/tile/TileOps.cpp.inc"
      >();
}

/// Whether `body` runs once per unit, with its number.
static LogicalResult verifyUnits(Operation *op, Region &body) {
  Block &block = body.front();
  if (block.getNumArguments() != 1 || !block.getArgument(0).getType().isIndex())
    return op->emitOpError("expected a region with one argument of type index");
  return success();
}

LogicalResult ScoresOp::verify() { return verifyUnits(*this, getBody()); }

LogicalResult PoolOp::verify() {
  if ((getUnits() > 0) == getBody().empty())
    return emitOpError("expected units and a region, or neither");
  return getUnits() ? verifyUnits(*this, getBody()) : success();
}

#define GET_OP_CLASSES
#include "dialect/tile/TileOps.cpp.inc"
