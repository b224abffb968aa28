// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits parts of the keys of a few queries: the online loop over some of them.

#include "passes/schedule/mma/OnlineBlock.h"
#include "passes/schedule/mma/Schedules.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

namespace {

/// Emits the code of a block of threads, which has one part of the keys.
class PartBlock : public OnlineBlock {
public:
  PartBlock(ImplicitLocOpBuilder &b, KernelOp kernel, const BlockSizes &sizes,
            PartSizes parts)
      : OnlineBlock(b, kernel, sizes, tile::allExps), parts(parts) {}

protected:
  void emitItemOf(tile::GridOp grid) override;
  void emitEnd(ValueRange outputs, ArrayRef<Statistics> lanes) override;
  void emitStoreAt(int64_t g, Value query, Value column,
                   Value number) override {
    memref::StoreOp::create(b, number, kernel.getOutputs()[0],
                            ValueRange{batch, heads[g], query, part, column});
  }

private:
  /// Output `number` of the kernel for the rows of head `g` and this part.
  Value outputOf(unsigned number, int64_t g) {
    return KernelBuffers::headsAt(b, kernel.getOutputs()[number], batch,
                                  heads[g], rowHeads, part);
  }

  PartSizes parts;
  Value part;
};

} // namespace

/// Blocks that read the same keys follow one another.
void PartBlock::emitItemOf(tile::GridOp grid) {
  Value number = grid.getItem()[0];
  Value blocks = at.div(at.add(sizeOf(op.getQueriesDim()), sizes.queries() - 1),
                        sizes.queries());
  part = at.div(number, blocks);
  Values item = {at.rem(number, blocks), grid.getItem()[1], grid.getItem()[2]};
  emitItem(ValueRange(item), sizes.queries());
  reportLengths();
  Value first = at.mul(part, parts.length);
  Value end = at.add(first, parts.length);
  range.begin = at.max(range.begin, first);
  range.end = at.min(range.end, end);
  range.insideEnd = at.min(range.insideEnd, end);
}

/// Sums of powers, not of weights: what they are divided by is known when all
/// parts are there.
void PartBlock::emitEnd(ValueRange outputs, ArrayRef<Statistics> lanes) {
  buffers.close();
  SmallVector<Statistics> statistics;
  for (auto [index, pooled] : llvm::enumerate(outputs)) {
    auto g = int64_t(index);
    Value reference = lanes[g].reference;
    tile::StoreOp::create(b, pooled, outputOf(0, g), firstRow(), endOfRows);
    tile::StoreRowsOp::create(b, reference, outputOf(1, g), firstRow(),
                              endOfRows);
    tile::StoreRowsOp::create(b, tile::JoinSumOp::create(b, lanes[g].sum),
                              outputOf(2, g), firstRow(), endOfRows);
    statistics.push_back({reference, constant(rows(), 1)});
  }
  emitSpoiledRows(outputs, statistics);
}

void mma::scheduleParts(KernelOp kernel, int64_t sharedBytes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  auto stage = cast<PartsOp>(kernel.getAnchor());
  AttentionOpInterface op = stage.getGeneric();
  BlockSizes sizes = BlockSizes::ofPart(op, sharedBytes);
  OperandDim keys = op.getKeysDim();
  Value count =
      b.createOrFold<memref::DimOp>(kernel.getOperandOf(keys.value), keys.dim);
  PartSizes parts =
      emitPartSizes(b, b.getLoc(), count, stage.getSplit(), stage.getBlock());
  SmallVector<Value> items = countItems(b, kernel, op, sizes.queries(),
                                        sizes.group.heads * sizes.rowHeads);
  items[0] = at.mul(items[0], parts.count);
  auto grid = tile::GridOp::create(b, items, sizes.numThreads());
  b.setInsertionPointToStart(&grid.getBody().front());
  PartBlock(b, kernel, sizes, parts).emit(grid);
  kernel.erase();
}
