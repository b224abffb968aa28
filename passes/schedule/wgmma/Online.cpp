// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What consumers do with the blocks of keys of an item.

#include "passes/schedule/wgmma/OnlineBlock.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::wgmma;

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

/// `weights` of the block from `firstKey` on without those that are dropped;
/// most blocks have none that is kept.
Value OnlineBlock::emitKeptOfBlock(Value firstKey, Value weights) {
  if (!op.getKeep())
    return weights;
  auto choice = scf::IfOp::create(b, TypeRange(weights.getType()),
                                  range.emitIsPooled(b, firstKey, sizes.keys),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, emitKept(firstKey, weights));
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, constant(weights.getType(), 0));
  return choice.getResult(0);
}

/// The weights that all heads give to the block of that number, whose
/// `products` are there. Each head's values but the last one's are pooled under
/// the exponentials of the next head. `afterFirst` is called once the first
/// head's weights are there, with what is to be done to the last head's outputs
/// where that is known.
void OnlineBlock::emitHeads(
    Value number, ValueRange products, Turn values, State &state,
    function_ref<Value(Value weights, const Rescale *)> afterFirst) {
  Value firstKey = firstKeyOf(number);
  Scores scores = emitScores(firstKey, products);
  Value pooling;
  for (int64_t g = 0; g < group.heads; ++g) {
    Rescale rescale;
    Value weights = emitWeights(g, firstKey, sizes.keys, scores,
                                state.statistics[g], rescale);
    weights = emitKeptOfBlock(firstKey, weights);
    bool isLast = g + 1 == group.heads;
    if (g == 0)
      weights = afterFirst(weights, isLast ? &rescale : nullptr);
    if (pooling) {
      weights = tile::WgmmaBoundaryOp::create(b, weights);
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

/// Each warp begins to copy what it reads of operands for the item, and for its
/// first block of keys.
void OnlineBlock::fetchOperands() {
  if (!fetches)
    return;
  // The last item's operands have been read: their places may be filled.
  tile::FetchedOp::create(b);
  Value warp = emitWarp();
  fetchOfItem(at.add(firstQuery, at.mul(warp, warpQueries)));
  Value zero = at.value(0);
  buffers.fetchOfKeys(b, firstKeyOf(zero), zero);
}

/// Waits for what a warp copied for the block of that number, and begins to
/// copy for the next one, which takes the place of the one before.
void OnlineBlock::takeOperands(Value number, Value stage) {
  if (!fetches)
    return;
  tile::FetchedOp::create(b);
  Value next = at.add(number, 1);
  auto choice = scf::IfOp::create(
      b, at.compare(arith::CmpIPredicate::slt, next, numBlocks),
      /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    buffers.fetchOfKeys(b, firstKeyOf(next), at.sub(at.value(1), stage));
  }
  buffers.open(b, firstKeyOf(number), stage);
}

/// The first block has nothing to overlap with.
OnlineBlock::State OnlineBlock::emitFirst() {
  Value zero = at.value(0);
  Turn first = turn(0, zero);
  Values products = waitForProducts(0, emitProducts(first), first);
  takeOperands(zero, first.block);
  clearHiddenValues();
  State state;
  state.outputs.assign(group.heads, constant(fragment(group.valueFeatures), 0));
  for (int64_t g = 0; g < group.heads; ++g)
    state.statistics.push_back(emitNoStatistics());
  emitHeads(zero, products, first, state,
            [](Value weights, const Rescale *) { return weights; });
  return state;
}

/// Scores and weights of one block while the last head's values of the one
/// before are pooled. The other warpgroup begins its products when this one's
/// have begun, so that one computes weights while the other one multiplies.
OnlineBlock::State OnlineBlock::emitStep(Value number, Turn keys, Turn values,
                                         State state) {
  tile::WgmmaTakeTurnOp::create(b);
  Values scoring = emitProducts(keys);
  int64_t last = group.heads - 1;
  Value pooling = emitPooling(last, values, state.weights, state.outputs[last]);
  tile::WgmmaPassTurnOp::create(b);
  Values products = waitForProducts(1, scoring, keys);
  takeOperands(number, keys.block);
  emitHeads(number, products, keys, state,
            [&](Value made, const Rescale *rescale) -> Value {
              Value weights = tile::WgmmaBoundaryOp::create(b, made);
              Value outputs = wait(0, pooling);
              releaseValues(values, last);
              state.outputs[last] =
                  rescale ? emitRescaled(outputs, *rescale) : outputs;
              return weights;
            });
  return state;
}

/// The last block's values have nothing to overlap with.
Value OnlineBlock::emitPooled(Turn values, const State &state) {
  int64_t g = group.heads - 1;
  Value outputs =
      wait(0, emitPooling(g, values, state.weights, state.outputs[g]));
  releaseValues(values, g);
  return outputs;
}

/// All blocks of keys. Code is written out for every stage, so that places in
/// rings are constants.
OnlineBlock::State OnlineBlock::emitBlocks() {
  constexpr int64_t stages = BlockSizes::stages;
  fetchOperands();
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
  releaseQueries();
  state.outputs.back() = emitPooled(turn(remaining, rounds), state);
  return state;
}
