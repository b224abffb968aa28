// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile.grid: building and verification.

#include "dialect/tile/TileOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::tile;

static Type scratchType(MLIRContext *context) {
  return MemRefType::get({ShapedType::kDynamic}, IntegerType::get(context, 8));
}

static void buildGrid(OpBuilder &b, OperationState &state, ValueRange counts,
                      Value isLarge, Value scratchBytes, int64_t threads,
                      int64_t teams) {
  state.addOperands(counts);
  auto &properties = state.getOrAddProperties<GridOp::Properties>();
  properties.threads = b.getI64IntegerAttr(threads);
  properties.teams = b.getI64IntegerAttr(teams);
  int32_t segments[] = {int32_t(counts.size()), isLarge ? 1 : 0,
                        scratchBytes ? 1 : 0};
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  for (Value operand : {isLarge, scratchBytes})
    if (operand)
      state.addOperands(operand);
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(state.addRegion());
  for (Value count : counts)
    block->addArgument(count.getType(), state.location);
  if (scratchBytes)
    block->addArgument(scratchType(b.getContext()), state.location);
}

void GridOp::build(OpBuilder &b, OperationState &state, Value count,
                   Value isLarge, Value scratchBytes) {
  buildGrid(b, state, count, isLarge, scratchBytes, /*threads=*/1, /*teams=*/1);
}

void GridOp::build(OpBuilder &b, OperationState &state, ValueRange counts,
                   int64_t threads, int64_t teams) {
  buildGrid(b, state, counts, {}, {}, threads, teams);
}

LogicalResult GridOp::verify() {
  constexpr size_t mostCounts = 3;
  if (getCounts().empty() || getCounts().size() > mostCounts)
    return emitOpError("expected 1 to ")
           << mostCounts << " counts, but got " << getCounts().size();
  SmallVector<Type> expected(getCounts().getTypes());
  if (getScratchBytes())
    expected.push_back(scratchType(getContext()));
  if (!llvm::equal(expected, getBody().getArgumentTypes()))
    return emitOpError("expected a region whose arguments are an index for "
                       "each count, and with scratch a 'memref<?xi8>'");
  if (getScratchBytes() && getThreads() != 1)
    return emitOpError("expected one thread where there is scratch, but got ")
           << getThreads();
  constexpr uint64_t warp = 32;
  if (getTeams() > 1 && getThreads() % warp)
    return emitOpError("expected teams of whole warps, but got ")
           << getThreads() << " threads";
  return success();
}
