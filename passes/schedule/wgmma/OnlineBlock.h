// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block of threads of the online schedule of sm_90a: a producer, consumers,
// rings.

#ifndef MIXATTN_PASSES_SCHEDULE_WGMMA_ONLINE_BLOCK_H
#define MIXATTN_PASSES_SCHEDULE_WGMMA_ONLINE_BLOCK_H

#include "passes/schedule/gpu/FragmentBody.h"
#include "passes/schedule/wgmma/BlockSizes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mixattn::wgmma {

/// A block of a ring, and how many times that place was filled before.
struct Turn {
  mlir::Value block, count;
};

/// Emits the code of a block of threads.
class OnlineBlock : public FragmentBody {
public:
  /// `counts` are those of the items of the kernel, `exps` as FragmentBody has
  /// them.
  OnlineBlock(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
              const BlockSizes &sizes, int64_t exps, mlir::ValueRange counts)
      : FragmentBody(b, kernel,
                     llvm::cast<AttentionOpInterface>(kernel.getAnchor()),
                     sizes.group.heads, exps),
        sizes(sizes), counts(counts) {}

  void emit(tile::GridOp grid);

private:
  /// Values that consumers carry from block of keys to block of keys: outputs
  /// and statistics of each head. The `weights` that the last head gave to the
  /// last block are yet to be pooled.
  struct State {
    Values outputs;
    llvm::SmallVector<Statistics> statistics;
    mlir::Value weights;

    Values values() const {
      Values all = outputs;
      for (const Statistics &each : statistics)
        all.append({each.reference, each.sum});
      all.push_back(weights);
      return all;
    }
    static State of(mlir::ValueRange values) {
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

  void emitStore(int64_t g, mlir::Value outputs) override;
  void emitWaitForStores() override;
  void emitItemOf(mlir::Value number);
  /// Emits what the block of number `own` does for each of its items: one, or
  /// in a round each block has one, as long as there are any. Every other round
  /// goes backwards, so that a block with a long item gets a short one.
  void forEachItem(mlir::Value own, llvm::function_ref<void()> emitOne);
  void emitProducer();
  void emitConsumer();
  State emitBlocks();
  State emitFirst();
  State emitStep(mlir::Value number, Turn keys, Turn values, State state);
  Values emitProducts(Turn keys);
  Values waitForProducts(int32_t pending, mlir::ValueRange products, Turn keys);
  void emitHeads(
      mlir::Value number, mlir::ValueRange products, Turn values, State &state,
      llvm::function_ref<mlir::Value(mlir::Value weights, const Rescale *)>
          afterFirst);
  mlir::Value emitPooling(int64_t g, Turn values, mlir::Value weights,
                          mlir::Value outputs);
  mlir::Value emitPooled(Turn values, const State &state);
  mlir::Value emitKeptOfBlock(mlir::Value firstKey, mlir::Value weights);
  void clearHiddenValues();
  mlir::Value emitWarp() {
    mlir::Value thread =
        mlir::gpu::ThreadIdOp::create(b, mlir::gpu::Dimension::x);
    return at.div(thread, warpThreads);
  }
  void fetchOperands();
  void takeOperands(mlir::Value number, mlir::Value stage);

  /// The first key of the block of that number: the last block is number 0.
  mlir::Value firstKeyOf(mlir::Value number) {
    mlir::Value after = at.sub(at.sub(numBlocks, 1), number);
    return at.add(range.begin, at.mul(after, sizes.keys));
  }
  /// Block `stage` of the item's round of that number.
  Turn turn(int64_t stage, mlir::Value round) {
    return {at.value(stage), at.add(filled[stage], round)};
  }
  Turn turn(mlir::Value stage, mlir::Value round) {
    mlir::Value count = filled.back();
    for (int64_t i = 0; i + 1 < BlockSizes::stages; ++i)
      count = mlir::arith::SelectOp::create(
          b, at.compare(mlir::arith::CmpIPredicate::eq, stage, i), filled[i],
          count);
    return {stage, at.add(count, round)};
  }
  /// The stage of tile `tile` of a block, of which each has `tiles`.
  mlir::Value stageOf(Turn turn, int64_t tile, int64_t tiles) {
    return at.add(at.mul(turn.block, tiles), tile);
  }
  mlir::Value await(mlir::Value ring, mlir::Value stage, mlir::Value count) {
    auto type = llvm::cast<tile::RingType>(ring.getType()).getTile();
    return tile::WgmmaAwaitOp::create(b, type, ring, stage, count);
  }
  mlir::Value awaitValues(Turn turn, int64_t tile) {
    return await(valueRing, stageOf(turn, tile, group.values), turn.count);
  }
  void releaseQueries() {
    for (int64_t channel = 0; channel < group.channels; ++channel)
      tile::WgmmaReleaseOp::create(b, queryRing, at.value(channel));
  }
  /// The last head of a block to read its values gives them back.
  void releaseValues(Turn turn, int64_t g) {
    if (g + 1 == group.heads || group.valueOf(g + 1) != group.valueOf(g))
      tile::WgmmaReleaseOp::create(
          b, valueRing, stageOf(turn, group.valueOf(g), group.values));
  }
  void fill(mlir::Value ring, mlir::Value stage, mlir::Value count,
            mlir::Value map, mlir::ValueRange indices) {
    tile::WgmmaFillOp::create(b, ring, stage, count, map, indices,
                              /*column=*/mlir::Value());
  }
  mlir::Value emitProduct(mlir::Value left, mlir::Value tile, bool transposed,
                          int64_t columns, mlir::Value onto = {}) {
    auto type = tile::PendingType::get(b.getContext(), fragment(columns));
    return tile::WgmmaProductOp::create(
        b, type, left, tile, transposed ? b.getUnitAttr() : mlir::UnitAttr(),
        onto);
  }
  mlir::Value wait(int32_t pending, mlir::Value product) {
    auto type = llvm::cast<tile::PendingType>(product.getType()).getFragment();
    return tile::WgmmaWaitOp::create(b, type, pending, product);
  }
  mlir::Value asOperand(mlir::Value weights) {
    auto type = mlir::VectorType::get({sizes.keys / 2}, sizes.type);
    return tile::ToOperandOp::create(b, type, weights);
  }
  mlir::Value mapOf(mlir::Value buffer, int64_t rows) {
    return tile::TensorMapOp::create(
        b, mlir::LLVM::LLVMPointerType::get(b.getContext()), buffer, rows,
        /*columns=*/64, /*swizzle=*/128);
  }

  const BlockSizes &sizes;
  const HeadGroup &group = sizes.group;
  mlir::ValueRange counts;
  mlir::Value queryRing, keyRing, valueRing;
  mlir::Value queryMap, keyMap, valueMap;
  /// The tile that outputs are laid in, and the map of where they go; null
  /// where there is none.
  mlir::Value outputTile, outputMap;
  /// How many items the block has done before, each of which took tiles of
  /// queries, and how often it filled each stage of the other rings for them.
  mlir::Value numDone;
  Values filled;
  /// Whether operands are read from shared memory.
  bool fetches = false;
  /// Blocks of keys that the item visits, and whether there are any.
  mlir::Value numBlocks, hasBlocks;
  /// The tiles of queries, once they are there.
  Values queries;
};

} // namespace mixattn::wgmma

#endif // MIXATTN_PASSES_SCHEDULE_WGMMA_ONLINE_BLOCK_H
