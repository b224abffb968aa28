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

LogicalResult ScoresOp::verify() {
  Block &block = getBody().front();
  if (block.getNumArguments() != 1 || !block.getArgument(0).getType().isIndex())
    return emitOpError("expected a region with one argument of type index");
  return success();
}

#define GET_OP_CLASSES
#include "dialect/tile/TileOps.cpp.inc"
