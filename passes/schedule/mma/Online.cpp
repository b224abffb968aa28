// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the online schedule of mma: scores, weights, pooled values.

#include "passes/schedule/gpu/FragmentBody.h"
#include "passes/schedule/mma/BlockSizes.h"
#include "passes/schedule/mma/Schedules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

namespace {

/// Emits the code of a block of threads.
class OnlineBlock : public FragmentBody {
public:
  OnlineBlock(ImplicitLocOpBuilder &b, KernelOp kernel)
      : FragmentBody(b, kernel), sizes(op, body.numProducts()) {}

  void emit(tile::GridOp grid);

private:
  /// The values that are carried from block of keys to block of keys.
  struct State {
    Value outputs;
    Statistics statistics;
  };

  void emitCopies(Value firstKey, Value stage);
  State emitStep(Value firstKey, Value stage, State state);
  Value tileOf(Value stages, Value stage, int64_t first, int64_t rows,
               int64_t columns);
  Value matrixOf(Value tensor, int64_t group, ArrayRef<Value> more = {}) {
    Values leading = {batch, at.div(head, group)};
    llvm::append_range(leading, more);
    return KernelBuffers::matrixAt(b, buffers.bufferOf(tensor), leading);
  }

  BlockSizes sizes;
  Value queries;
  Value keyStages, valueStages;
};

} // namespace

/// Rows `first` to `first + rows - 1` of one stage.
Value OnlineBlock::tileOf(Value stages, Value stage, int64_t first,
                          int64_t rows, int64_t columns) {
  auto index = [&](int64_t number) -> OpFoldResult {
    return b.getIndexAttr(number);
  };
  SmallVector<OpFoldResult> offsets = {stage, index(first), index(0)};
  SmallVector<OpFoldResult> extents = {index(1), index(rows), index(columns)};
  SmallVector<OpFoldResult> strides(3, index(1));
  auto type = memref::SubViewOp::inferRankReducedResultType(
      {rows, columns}, cast<MemRefType>(stages.getType()), offsets, extents,
      strides);
  return memref::SubViewOp::create(b, type, stages, offsets, extents, strides);
}

/// Begins to copy the keys and values from `firstKey` on.
void OnlineBlock::emitCopies(Value firstKey, Value stage) {
  auto copy = [&](Value matrix, Value tile) {
    tile::MmaCopyOp::create(b, matrix, firstKey, range.end, tile, threads);
  };
  for (int64_t r = 0; r < sizes.products; ++r) {
    Values component;
    if (op.getKeyType().getRank() == 5)
      component.push_back(at.value(r));
    copy(matrixOf(op.getKey(), op.getKeyGroup(), component),
         tileOf(keyStages, stage, r * sizes.keys, sizes.keys, sizes.features));
  }
  copy(matrixOf(op.getValue(), op.getValueGroup()),
       tileOf(valueStages, stage, 0, sizes.keys, sizes.valueFeatures));
  tile::MmaCommitOp::create(b);
}

OnlineBlock::State OnlineBlock::emitStep(Value firstKey, Value stage,
                                         State state) {
  Values products;
  for (int64_t r = 0; r < sizes.products; ++r) {
    Value tile =
        tileOf(keyStages, stage, r * sizes.keys, sizes.keys, sizes.features);
    products.push_back(tile::MmaProductOp::create(
        b, queries, tile, b.getUnitAttr(), constant(fragment(sizes.keys), 0)));
  }
  Value lowered;
  Value weights =
      emitWeights(firstKey, emitExponents(firstKey, sizes.keys, products),
                  state.statistics, lowered);
  Value tile = tileOf(valueStages, stage, 0, sizes.keys, sizes.valueFeatures);
  auto operand = VectorType::get({sizes.keys / 2}, sizes.type);
  state.outputs = tile::MmaProductOp::create(
      b, tile::ToOperandOp::create(b, operand, weights), tile, UnitAttr(),
      emitScaled(state.outputs, lowered));
  return state;
}

void OnlineBlock::emit(tile::GridOp grid) {
  for (auto [type, stages] : {std::pair(sizes.keysTile(), &keyStages),
                              std::pair(sizes.valuesTile(), &valueStages)})
    *stages = memref::AllocaOp::create(b, type, ValueRange(),
                                       b.getI64IntegerAttr(16));
  emitItem(grid, blockQueries);
  queries = tile::MmaLoadOp::create(
      b, VectorType::get({sizes.features / 2}, sizes.type),
      matrixOf(op.getQuery(), 1), firstQuery, numQueries);

  Value zero = at.value(0);
  emitCopies(range.begin, zero);
  Statistics none = emitNoStatistics();
  Values inits = {constant(fragment(sizes.valueFeatures), 0), none.reference,
                  none.sum, zero};
  auto loop = scf::ForOp::create(b, range.begin, range.end,
                                 at.value(sizes.keys), inits);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    ValueRange carried = loop.getRegionIterArgs();
    Value firstKey = loop.getInductionVar(), stage = carried[3];
    Value other = at.sub(at.value(1), stage);
    tile::MmaWaitOp::create(b, 0);
    emitCopies(at.add(firstKey, sizes.keys), other);
    State after =
        emitStep(firstKey, stage, {carried[0], {carried[1], carried[2]}});
    scf::YieldOp::create(b, Values{after.outputs, after.statistics.reference,
                                   after.statistics.sum, other});
  }
  tile::MmaWaitOp::create(b, 0);
  emitResults(loop.getResult(0), loop.getResult(2));
}

void mma::scheduleOnline(KernelOp kernel) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  tile::GridOp grid = makeBlocks(b, kernel, blockQueries, threads);
  OnlineBlock(b, kernel).emit(grid);
  kernel.erase();
}
