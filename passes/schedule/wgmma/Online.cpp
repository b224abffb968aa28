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

/// A stage of a ring, and how many times it was filled before.
struct Turn {
  Value stage, count;
};

/// Emits the code of a block of threads.
class OnlineBlock : public FragmentBody {
public:
  OnlineBlock(ImplicitLocOpBuilder &b, KernelOp kernel)
      : FragmentBody(b, kernel), sizes(op) {}

  void emit(tile::GridOp grid);

private:
  /// Values that consumers carry from block of keys to block of keys. The
  /// `weights` of the last block are yet to be pooled.
  struct State {
    Value outputs, weights;
    Statistics statistics;

    Values values() const {
      return {outputs, weights, statistics.reference, statistics.sum};
    }
    static State of(ValueRange values) {
      return {values[0], values[1], {values[2], values[3]}};
    }
  };

  void emitProducer();
  void emitConsumer();
  State emitBlocks();
  State emitFirst();
  State emitStep(Value number, Turn keys, Turn values, const State &before);
  State emitWeighed(Value number, Value scores, const State &before,
                    Value &lowered, Value &weights);
  Value emitPooled(Turn values, const State &state);
  void clearHiddenValues();

  /// The first key of the block of that number: the last block is number 0.
  Value firstKeyOf(Value number) {
    Value after = at.sub(at.sub(numBlocks, 1), number);
    return at.add(range.begin, at.mul(after, sizes.keys));
  }
  Turn turn(int64_t stage, Value count) { return {at.value(stage), count}; }
  Value await(Value ring, Turn turn) {
    auto type = cast<tile::RingType>(ring.getType()).getTile();
    return tile::WgmmaAwaitOp::create(b, type, ring, turn.stage, turn.count);
  }
  void release(Value ring, Turn turn) {
    tile::WgmmaReleaseOp::create(b, ring, turn.stage);
  }
  void fill(Value ring, Turn turn, Value map, Value ownHead, Value row) {
    tile::WgmmaFillOp::create(b, ring, turn.stage, turn.count, map,
                              ValueRange{batch, ownHead, row});
  }
  Value emitProduct(Value left, Value tile, bool transposed, int64_t columns,
                    Value onto = {}) {
    auto type = tile::PendingType::get(b.getContext(), fragment(columns));
    return tile::WgmmaProductOp::create(
        b, type, left, tile, transposed ? b.getUnitAttr() : UnitAttr(), onto);
  }
  Value emitScores(Value tile) {
    return emitProduct(queries, tile, /*transposed=*/true, sizes.keys);
  }
  Value wait(int32_t pending, Value product) {
    auto type = cast<tile::PendingType>(product.getType()).getFragment();
    return tile::WgmmaWaitOp::create(b, type, pending, product);
  }
  Value asOperand(Value weights) {
    auto type = VectorType::get({sizes.keys / 2}, sizes.type);
    return tile::ToOperandOp::create(b, type, weights);
  }
  Value mapOf(Value tensor, int64_t rows) {
    return tile::TensorMapOp::create(
        b, LLVM::LLVMPointerType::get(b.getContext()), buffers.bufferOf(tensor),
        rows, /*columns=*/64, /*swizzle=*/128);
  }

  BlockSizes sizes;
  Value queryRing, keyRing, valueRing;
  Value queryMap, keyMap, valueMap;
  /// Blocks of keys that the block visits, and whether there are any.
  Value numBlocks, hasBlocks;
  /// The tile of queries, once it is there.
  Value queries;
};

} // namespace

/// Fills the rings in the order in which consumers read them.
void OnlineBlock::emitProducer() {
  auto choice = scf::IfOp::create(b, hasBlocks, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  Value zero = at.value(0);
  fill(queryRing, {zero, zero}, queryMap, head, firstQuery);
  auto loop = scf::ForOp::create(b, zero, numBlocks, at.value(1));
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar(), row = firstKeyOf(number);
  Turn turn = {at.rem(number, sizes.stages), at.div(number, sizes.stages)};
  fill(keyRing, turn, keyMap, at.div(head, op.getKeyGroup()), row);
  fill(valueRing, turn, valueMap, at.div(head, op.getValueGroup()), row);
}

/// The weights of the block of that number, whose `scores` are there.
OnlineBlock::State OnlineBlock::emitWeighed(Value number, Value scores,
                                            const State &before, Value &lowered,
                                            Value &weights) {
  State after = before;
  Value firstKey = firstKeyOf(number);
  weights = emitWeights(firstKey, emitExponents(firstKey, sizes.keys, scores),
                        after.statistics, lowered);
  return after;
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
  Value values = await(valueRing, turn(0, at.value(0)));
  tile::WgmmaClearOp::create(b, values, at.sub(range.end, first), consumers);
}

/// The first block has nothing to overlap with.
OnlineBlock::State OnlineBlock::emitFirst() {
  Value zero = at.value(0);
  Value scores = wait(0, emitScores(await(keyRing, {zero, zero})));
  release(keyRing, {zero, zero});
  clearHiddenValues();
  Value lowered, weights;
  State none = {constant(fragment(sizes.valueFeatures), 0), Value(),
                emitNoStatistics()};
  State state = emitWeighed(zero, scores, none, lowered, weights);
  state.weights = asOperand(weights);
  return state;
}

/// Scores and weights of one block while the values of the one before are
/// pooled.
OnlineBlock::State OnlineBlock::emitStep(Value number, Turn keys, Turn values,
                                         const State &before) {
  Value scoring = emitScores(await(keyRing, keys));
  Value pooling =
      emitProduct(before.weights, await(valueRing, values),
                  /*transposed=*/false, sizes.valueFeatures, before.outputs);
  Value scores = wait(1, scoring);
  release(keyRing, keys);
  Value lowered, weights;
  State after = emitWeighed(number, scores, before, lowered, weights);
  tile::WgmmaBoundaryOp::create(b);
  Value outputs = wait(0, pooling);
  release(valueRing, values);
  after.outputs = emitScaled(outputs, lowered);
  after.weights = asOperand(weights);
  return after;
}

/// The last block's values have nothing to overlap with.
Value OnlineBlock::emitPooled(Turn values, const State &state) {
  return wait(0, emitProduct(state.weights, await(valueRing, values),
                             /*transposed=*/false, sizes.valueFeatures,
                             state.outputs));
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
  state.outputs = emitPooled({remaining, rounds}, state);
  return state;
}

void OnlineBlock::emitConsumer() {
  Values types = {constant(fragment(sizes.valueFeatures), 0),
                  constant(rows(), 0)};
  auto choice = scf::IfOp::create(b, ValueRange(types).getTypes(), hasBlocks,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, types);
    b.setInsertionPointToStart(choice.thenBlock());
    Value zero = at.value(0);
    queries = await(queryRing, {zero, zero});
    State state = emitBlocks();
    scf::YieldOp::create(b, Values{state.outputs, state.statistics.sum});
  }
  emitResults(choice.getResult(0), choice.getResult(1));
}

void OnlineBlock::emit(tile::GridOp grid) {
  queryRing = tile::WgmmaRingOp::create(b, sizes.queryRing(), 0);
  keyRing = tile::WgmmaRingOp::create(b, sizes.keyRing(), sizes.keyOffset());
  valueRing =
      tile::WgmmaRingOp::create(b, sizes.valueRing(), sizes.valueOffset());
  queryMap = mapOf(op.getQuery(), blockQueries);
  keyMap = mapOf(op.getKey(), sizes.keys);
  valueMap = mapOf(op.getValue(), sizes.keys);
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

void wgmma::scheduleOnline(KernelOp kernel) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  tile::GridOp grid = makeBlocks(b, kernel, blockQueries, threads);
  OnlineBlock(b, kernel).emit(grid);
  kernel.erase();
}
