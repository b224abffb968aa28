// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items of fragments that have a part of the keys each.

#include "passes/schedule/gpu/FragmentBody.h"

using namespace mlir;
using namespace mixattn;

Value FragmentBody::emitPartItem(tile::GridOp grid, int64_t queries,
                                 const PartSizes &parts) {
  Value number = grid.getItem()[0];
  Value blocks =
      at.div(at.add(sizeOf(op.getQueriesDim()), queries - 1), queries);
  Value part = at.div(number, blocks);
  Values item = {at.rem(number, blocks), grid.getItem()[1], grid.getItem()[2]};
  emitItem(ValueRange(item), queries);
  reportLengths();
  Value first = at.mul(part, parts.length);
  Value end = at.add(first, parts.length);
  range.begin = at.max(range.begin, first);
  range.end = at.min(range.end, end);
  range.insideEnd = at.min(range.insideEnd, end);
  return part;
}

std::pair<tile::GridOp, PartSizes>
mixattn::makePartBlocks(ImplicitLocOpBuilder &b, KernelOp kernel,
                        AttentionOpInterface op, int64_t split, int64_t block,
                        int64_t queries, int64_t heads, int64_t threads) {
  IndexMath at(b);
  OperandDim keys = op.getKeysDim();
  Value count =
      b.createOrFold<memref::DimOp>(kernel.getOperandOf(keys.value), keys.dim);
  PartSizes parts = emitPartSizes(b, b.getLoc(), count, split, block);
  SmallVector<Value> items = countItems(b, kernel, op, queries, heads);
  items[0] = at.mul(items[0], parts.count);
  auto grid = tile::GridOp::create(b, items, threads);
  b.setInsertionPointToStart(&grid.getBody().front());
  return {grid, parts};
}
