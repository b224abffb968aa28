// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the online schedule of sm_90a: a producer, consumers, rings.

#include "passes/schedule/gpu/FragmentBody.h"
#include "passes/schedule/wgmma/BlockSizes.h"
#include "passes/schedule/wgmma/Schedules.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::wgmma;

namespace {

/// A block of a ring, and how many times that place was filled before.
struct Turn {
  Value block, count;
};

/// Emits the code of a block of threads.
class OnlineBlock : public FragmentBody {
public:
  OnlineBlock(ImplicitLocOpBuilder &b, KernelOp kernel, const BlockSizes &sizes)
      : FragmentBody(b, kernel, sizes.group.heads), sizes(sizes) {}

  void emit(tile::GridOp grid);

private:
  /// Values that consumers carry from block of keys to block of keys: outputs
  /// and statistics of each head. The `weights` that the last head gave to the
  /// last block are yet to be pooled.
  struct State {
    Values outputs;
    SmallVector<Statistics> statistics;
    Value weights;

    Values values() const {
      Values all = outputs;
      for (const Statistics &each : statistics)
        all.append({each.reference, each.sum});
      all.push_back(weights);
      return all;
    }
    static State of(ValueRange values) {
      State state;
      size_t heads = values.size() / 3;
      llvm::append_range(state.outputs, values.take_front(heads));
      for (size_t g = 0; g < heads; ++g)
        state.statistics.push_back(
            {values[heads + 2 * g], values[heads + 2 * g + 1]});
      state.weights = values.back();
      return state;
    }
  };

  void emitStore(int64_t g, Value outputs) override;
  void emitWaitForStores() override;
  void emitProducer();
  void emitConsumer();
  State emitBlocks();
  State emitFirst();
  State emitStep(Value number, Turn keys, Turn values, State state);
  Values emitProducts(Turn keys);
  Values waitForProducts(int32_t pending, ValueRange products, Turn keys);
  void emitHeads(Value number, ValueRange products, Turn values, State &state,
                 function_ref<void(const Rescale *)> afterFirst);
  Value emitPooling(int64_t g, Turn values, Value weights, Value outputs);
  Value emitPooled(Turn values, const State &state);
  void clearHiddenValues();

  /// The first key of the block of that number: the last block is number 0.
  Value firstKeyOf(Value number) {
    Value after = at.sub(at.sub(numBlocks, 1), number);
    return at.add(range.begin, at.mul(after, sizes.keys));
  }
  Turn turn(int64_t block, Value count) { return {at.value(block), count}; }
  /// The stage of tile `tile` of a block, of which each has `tiles`.
  Value stageOf(Turn turn, int64_t tile, int64_t tiles) {
    return at.add(at.mul(turn.block, tiles), tile);
  }
  Value await(Value ring, Value stage, Value count) {
    auto type = cast<tile::RingType>(ring.getType()).getTile();
    return tile::WgmmaAwaitOp::create(b, type, ring, stage, count);
  }
  Value awaitValues(Turn turn, int64_t tile) {
    return await(valueRing, stageOf(turn, tile, group.values), turn.count);
  }
  /// The last head of a block to read its values gives them back.
  void releaseValues(Turn turn, int64_t g) {
    if (g + 1 == group.heads || group.valueOf(g + 1) != group.valueOf(g))
      tile::WgmmaReleaseOp::create(
          b, valueRing, stageOf(turn, group.valueOf(g), group.values));
  }
  void fill(Value ring, Value stage, Value count, Value map,
            ValueRange indices) {
    tile::WgmmaFillOp::create(b, ring, stage, count, map, indices);
  }
  Value emitProduct(Value left, Value tile, bool transposed, int64_t columns,
                    Value onto = {}) {
    auto type = tile::PendingType::get(b.getContext(), fragment(columns));
    return tile::WgmmaProductOp::create(
        b, type, left, tile, transposed ? b.getUnitAttr() : UnitAttr(), onto);
  }
  Value wait(int32_t pending, Value product) {
    auto type = cast<tile::PendingType>(product.getType()).getFragment();
    return tile::WgmmaWaitOp::create(b, type, pending, product);
  }
  Value asOperand(Value weights) {
    auto type = VectorType::get({sizes.keys / 2}, sizes.type);
    return tile::ToOperandOp::create(b, type, weights);
  }
  Value mapOf(Value buffer, int64_t rows) {
    return tile::TensorMapOp::create(
        b, LLVM::LLVMPointerType::get(b.getContext()), buffer, rows,
        /*columns=*/64, /*swizzle=*/128);
  }

  const BlockSizes &sizes;
  const HeadGroup &group = sizes.group;
  Value queryRing, keyRing, valueRing;
  Value queryMap, keyMap, valueMap;
  /// The tile that outputs are laid in, and the map of where they go; null
  /// where there is none.
  Value outputTile, outputMap;
  /// Blocks of keys that the block visits, and whether there are any.
  Value numBlocks, hasBlocks;
  /// The tiles of queries, once they are there.
  Values queries;
};

} // namespace

/// Fills the rings in the order in which consumers read them.
void OnlineBlock::emitProducer() {
  auto choice = scf::IfOp::create(b, hasBlocks, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  Value zero = at.value(0);
  for (int64_t channel = 0; channel < group.channels; ++channel)
    fill(queryRing, at.value(channel), zero, queryMap,
         {batch, queryHead(channel), firstQuery});
  auto loop = scf::ForOp::create(b, zero, numBlocks, at.value(1));
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar(), row = firstKeyOf(number);
  Turn turn = {at.rem(number, sizes.stages), at.div(number, sizes.stages)};
  for (int64_t tile = 0; tile < group.tiles(); ++tile) {
    Values place = {batch, keyHead(tile / group.products)};
    if (op.getKeyType().getRank() == 5)
      place.push_back(at.value(tile % group.products));
    place.push_back(row);
    fill(keyRing, stageOf(turn, tile, group.tiles()), turn.count, keyMap,
         place);
  }
  int64_t headsOfValue = group.heads / group.values;
  for (int64_t tile = 0; tile < group.values; ++tile)
    fill(valueRing, stageOf(turn, tile, group.values), turn.count, valueMap,
         {batch, at.div(heads[tile * headsOfValue], op.getValueGroup()), row});
}

/// Begins the products of all tiles of a block.
OnlineBlock::Values OnlineBlock::emitProducts(Turn keys) {
  Values products;
  for (int64_t tile = 0; tile < group.tiles(); ++tile) {
    Value own = await(keyRing, stageOf(keys, tile, group.tiles()), keys.count);
    products.push_back(emitProduct(queries[tile / group.products], own,
                                   /*transposed=*/true, sizes.keys));
  }
  return products;
}

/// The products of all tiles, once at most `pending` younger ones are under
/// way.
OnlineBlock::Values
OnlineBlock::waitForProducts(int32_t pending, ValueRange products, Turn keys) {
  Values fragments;
  for (auto [tile, product] : llvm::enumerate(products)) {
    fragments.push_back(wait(pending, product));
    tile::WgmmaReleaseOp::create(b, keyRing,
                                 stageOf(keys, tile, group.tiles()));
  }
  return fragments;
}

/// Begins to add the values that `weights` of head `g` pool to `outputs`.
Value OnlineBlock::emitPooling(int64_t g, Turn values, Value weights,
                               Value outputs) {
  return emitProduct(weights, awaitValues(values, group.valueOf(g)),
                     /*transposed=*/false, group.valueFeatures, outputs);
}

/// The weights that all heads give to the block of that number, whose
/// `products` are there. Each head's values but the last one's are pooled under
/// the exponentials of the next head. `afterFirst` is called once the first
/// head's weights are there, with what is to be done to the last head's outputs
/// where that is known.
void OnlineBlock::emitHeads(Value number, ValueRange products, Turn values,
                            State &state,
                            function_ref<void(const Rescale *)> afterFirst) {
  Value firstKey = firstKeyOf(number);
  Scores scores = emitScores(firstKey, products);
  Value pooling;
  for (int64_t g = 0; g < group.heads; ++g) {
    Rescale rescale;
    Value weights =
        emitWeights(firstKey, emitExponents(g, firstKey, sizes.keys, scores),
                    state.statistics[g], rescale);
    bool isLast = g + 1 == group.heads;
    if (g == 0)
      afterFirst(isLast ? &rescale : nullptr);
    if (pooling) {
      tile::WgmmaBoundaryOp::create(b);
      state.outputs[g - 1] = wait(0, pooling);
      releaseValues(values, g - 1);
    }
    if (!isLast) {
      pooling = emitPooling(g, values, asOperand(weights),
                            emitRescaled(state.outputs[g], rescale));
      continue;
    }
    if (g > 0)
      state.outputs[g] = emitRescaled(state.outputs[g], rescale);
    state.weights = asOperand(weights);
  }
}

/// A box of TMA ends where the tensor does, not where the keys do that queries
/// see: values after these may be NaN, and 0 times NaN is NaN.
void OnlineBlock::clearHiddenValues() {
  Value first = firstKeyOf(at.value(0));
  Value loaded = at.min(at.add(first, sizes.keys), range.keys);
  Value isCut = at.compare(arith::CmpIPredicate::slt, range.end, loaded);
  auto choice = scf::IfOp::create(b, isCut, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  for (int64_t tile = 0; tile < group.values; ++tile)
    tile::WgmmaClearOp::create(b, awaitValues(turn(0, at.value(0)), tile),
                               at.sub(range.end, first), consumers);
}

/// The first block has nothing to overlap with.
OnlineBlock::State OnlineBlock::emitFirst() {
  Value zero = at.value(0);
  Turn first = {zero, zero};
  Values products = waitForProducts(0, emitProducts(first), first);
  clearHiddenValues();
  State state;
  state.outputs.assign(group.heads, constant(fragment(group.valueFeatures), 0));
  for (int64_t g = 0; g < group.heads; ++g)
    state.statistics.push_back(emitNoStatistics());
  emitHeads(zero, products, first, state, [](const Rescale *) {});
  return state;
}

/// Scores and weights of one block while the last head's values of the one
/// before are pooled.
OnlineBlock::State OnlineBlock::emitStep(Value number, Turn keys, Turn values,
                                         State state) {
  Values scoring = emitProducts(keys);
  int64_t last = group.heads - 1;
  Value pooling = emitPooling(last, values, state.weights, state.outputs[last]);
  Values products = waitForProducts(1, scoring, keys);
  emitHeads(number, products, keys, state, [&](const Rescale *rescale) {
    tile::WgmmaBoundaryOp::create(b);
    Value outputs = wait(0, pooling);
    releaseValues(values, last);
    state.outputs[last] = rescale ? emitRescaled(outputs, *rescale) : outputs;
  });
  return state;
}

/// The last block's values have nothing to overlap with.
Value OnlineBlock::emitPooled(Turn values, const State &state) {
  return wait(0, emitPooling(group.heads - 1, values, state.weights,
                             state.outputs.back()));
}

/// All blocks of keys. Code is written out for every stage, so that places in
/// rings are constants.
OnlineBlock::State OnlineBlock::emitBlocks() {
  constexpr int64_t stages = BlockSizes::stages;
  State first = emitFirst();
  Value rest = at.sub(numBlocks, 1);
  Value rounds = at.div(rest, stages), remaining = at.rem(rest, stages);
  // The step after the one that weighed stage `stage` in round `round`.
  auto step = [&](Value round, int64_t stage, const State &state) {
    int64_t next = stage + 1;
    Turn keys = turn(next % stages, at.add(round, next / stages));
    Value number = at.add(at.mul(round, stages), next);
    return emitStep(number, keys, turn(stage, round), state);
  };
  auto loop =
      scf::ForOp::create(b, at.value(0), rounds, at.value(1), first.values());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    State state = State::of(loop.getRegionIterArgs());
    for (int64_t stage = 0; stage < stages; ++stage)
      state = step(loop.getInductionVar(), stage, state);
    scf::YieldOp::create(b, state.values());
  }
  State state = State::of(loop.getResults());
  for (int64_t stage = 0; stage + 1 < stages; ++stage) {
    Value isLeft = at.compare(arith::CmpIPredicate::sgt, remaining, stage);
    auto choice =
        scf::IfOp::create(b, ValueRange(state.values()).getTypes(), isLeft,
                          /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, state.values());
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, step(rounds, stage, state).values());
    state = State::of(choice.getResults());
  }
  state.outputs.back() = emitPooled({remaining, rounds}, state);
  return state;
}

void OnlineBlock::emitConsumer() {
  Values none;
  for (int64_t g = 0; g < group.heads; ++g) {
    Statistics empty = emitNoStatistics();
    none.append({constant(fragment(group.valueFeatures), 0), empty.reference,
                 empty.sum});
  }
  auto choice = scf::IfOp::create(b, ValueRange(none).getTypes(), hasBlocks,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, none);
    b.setInsertionPointToStart(choice.thenBlock());
    for (int64_t channel = 0; channel < group.channels; ++channel)
      queries.push_back(await(queryRing, at.value(channel), at.value(0)));
    State state = emitBlocks();
    Values results;
    for (auto [outputs, statistics] :
         llvm::zip(state.outputs, state.statistics))
      results.append({outputs, statistics.reference, statistics.sum});
    scf::YieldOp::create(b, results);
  }
  Values outputs;
  SmallVector<Statistics> statistics;
  for (int64_t g = 0; g < group.heads; ++g) {
    outputs.push_back(choice.getResult(3 * g));
    statistics.push_back(
        {choice.getResult(3 * g + 1), choice.getResult(3 * g + 2)});
  }
  emitResults(outputs, statistics);
  if (outputTile)
    tile::WgmmaStoredOp::create(b);
}

/// Each warp's rows go by themselves.
void OnlineBlock::emitStore(int64_t g, Value outputs) {
  if (!outputTile)
    return FragmentBody::emitStore(g, outputs);
  tile::WgmmaStoreOp::create(b, outputs, outputTile, outputMap,
                             ValueRange{batch, heads[g], firstQuery});
}

void OnlineBlock::emitWaitForStores() {
  if (!outputTile)
    return FragmentBody::emitWaitForStores();
  tile::WgmmaStoredOp::create(b);
}

void OnlineBlock::emit(tile::GridOp grid) {
  queryRing = tile::WgmmaRingOp::create(b, sizes.queryRing(), 0);
  keyRing = tile::WgmmaRingOp::create(b, sizes.keyRing(), sizes.keyOffset());
  valueRing =
      tile::WgmmaRingOp::create(b, sizes.valueRing(), sizes.valueOffset());
  queryMap = mapOf(buffers.bufferOf(op.getQuery()), blockQueries);
  keyMap = mapOf(buffers.bufferOf(op.getKey()), sizes.keys);
  valueMap = mapOf(buffers.bufferOf(op.getValue()), sizes.keys);
  if (sizes.outputColumns > 0) {
    constexpr int64_t warpRows = 16;
    outputTile =
        tile::WgmmaTileOp::create(b, sizes.outputTile(), sizes.outputOffset());
    outputMap = mapOf(kernel.getOutputs()[0], warpRows);
  }
  tile::WgmmaOpenOp::create(b, ValueRange{queryRing, keyRing, valueRing},
                            consumers);

  emitItem(grid, blockQueries);
  Value keys = at.max(at.sub(range.end, range.begin), 0);
  numBlocks = at.div(at.add(keys, sizes.keys - 1), sizes.keys);
  hasBlocks = at.compare(arith::CmpIPredicate::sgt, numBlocks, 0);

  auto roles = tile::WgmmaRolesOp::create(b, consumers, producerRegisters,
                                          consumerRegisters);
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&roles.getProducer());
  emitProducer();
  b.createBlock(&roles.getConsumer());
  emitConsumer();
}

void wgmma::scheduleOnline(KernelOp kernel, int64_t sharedBytes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  BlockSizes sizes(cast<AttentionOpInterface>(kernel.getAnchor()), sharedBytes);
  tile::GridOp grid =
      makeBlocks(b, kernel, blockQueries, sizes.group.heads, threads);
  OnlineBlock(b, kernel, sizes).emit(grid);
  kernel.erase();
}
