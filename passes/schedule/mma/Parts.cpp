// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits parts of the keys of a few queries: the online loop over some of them,
// with values, or with weights that heads will mix.

#include "passes/schedule/gpu/FragmentMap.h"
#include "passes/schedule/mma/OnlineBlock.h"
#include "passes/schedule/mma/Schedules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

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
  void emitItemOf(tile::GridOp grid) override {
    part = emitPartItem(grid, sizes.queries(), parts);
  }
  void emitEnd(ValueRange outputs, ArrayRef<Statistics> lanes) override;
  void emitHandOver(int64_t g, Value firstKey, Value weights,
                    const Rescale &rescale) override;
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

  /// Runs `inside` for each element of a block of powers of head `g`, from
  /// `firstKey` on, that is there: `place` is the element's.
  void forEachPower(int64_t g, Value firstKey, ValueRange operands,
                    function_ref<void(ValueRange place, ValueRange)> inside);

  PartSizes parts;
  Value part;
};

} // namespace

/// Keys from the end on are those of the next part, or of none. The map's own
/// result is nobody's.
void PartBlock::forEachPower(
    int64_t g, Value firstKey, ValueRange operands,
    function_ref<void(ValueRange place, ValueRange)> inside) {
  emitFragmentMap(
      b, firstRow(), firstKey, operands, 1,
      [&](Value row, Value key, ValueRange elements) -> Values {
        Value isThere = arith::AndIOp::create(
            b, at.compare(arith::CmpIPredicate::slt, row, endOfRows),
            at.compare(arith::CmpIPredicate::slt, key, range.end));
        auto choice = scf::IfOp::create(b, isThere, /*withElseRegion=*/false);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(choice.thenBlock());
        Values place = {batch, headOfRow(g, row), queryOfRow(row), key};
        inside(place, elements);
        return {elements.front()};
      });
}

/// Powers are relative to the reference that the part will have in the end. It
/// seldom rises after the first block: what was written before then is written
/// again, each element by the thread that wrote it.
void PartBlock::emitHandOver(int64_t g, Value firstKey, Value weights,
                             const Rescale &rescale) {
  Value powers = kernel.getOutputs()[0];
  auto isRaised =
      scf::IfOp::create(b, rescale.isNeeded, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(isRaised.thenBlock());
    Value factors = softmax.emitRescale(rescale.before, rescale.after);
    auto loop =
        scf::ForOp::create(b, range.begin, firstKey, at.value(sizes.keys));
    b.setInsertionPointToStart(loop.getBody());
    forEachPower(g, loop.getInductionVar(), {weights, factors},
                 [&](ValueRange place, ValueRange elements) {
                   Value before = memref::LoadOp::create(b, powers, place);
                   memref::StoreOp::create(
                       b, arith::MulFOp::create(b, before, elements[1]), powers,
                       place);
                 });
  }
  forEachPower(g, firstKey, weights,
               [&](ValueRange place, ValueRange elements) {
                 memref::StoreOp::create(b, elements[0], powers, place);
               });
}

/// Sums of powers, not of weights: what they are divided by is known when all
/// parts are there.
void PartBlock::emitEnd(ValueRange outputs, ArrayRef<Statistics> lanes) {
  buffers.close();
  SmallVector<Statistics> statistics;
  for (int64_t g = 0; g < int64_t(lanes.size()); ++g) {
    Value reference = lanes[g].reference;
    if (!outputs.empty())
      tile::StoreOp::create(b, outputs[g], outputOf(0, g), firstRow(),
                            endOfRows);
    tile::StoreRowsOp::create(b, reference, outputOf(1, g), firstRow(),
                              endOfRows);
    tile::StoreRowsOp::create(b, tile::JoinSumOp::create(b, lanes[g].sum),
                              outputOf(2, g), firstRow(), endOfRows);
    statistics.push_back({reference, constant(rows(), 1)});
  }
  if (!outputs.empty())
    emitSpoiledRows(outputs, statistics);
}

void mma::scheduleParts(KernelOp kernel, int64_t sharedBytes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  auto stage = cast<PartsOp>(kernel.getAnchor());
  AttentionOpInterface op = stage.getGeneric();
  BlockSizes sizes = BlockSizes::ofPart(op, sharedBytes);
  auto [grid, parts] = makePartBlocks(
      b, kernel, op, stage.getSplit(), stage.getBlock(), sizes.queries(),
      sizes.group.heads * sizes.rowHeads, sizes.numThreads());
  PartBlock(b, kernel, sizes, parts).emit(grid);
  kernel.erase();
}
