// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queries, keys and scores of a block of threads of either pass over the keys.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_TWO_PASS_BLOCK_H
#define MIXATTN_PASSES_SCHEDULE_MMA_TWO_PASS_BLOCK_H

#include "passes/schedule/gpu/FragmentBody.h"
#include "passes/schedule/mma/TwoPassSizes.h"

namespace mixattn::mma {

/// Emits how a block gets to its scores, unit by unit. Which head is weighed is
/// a number that loops count.
class TwoPassBlock : public FragmentBody {
public:
  TwoPassBlock(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
               AttentionOpInterface op, const TwoPassSizes &sizes)
      : FragmentBody(b, kernel, op, sizes.heads, tile::allExps), sizes(sizes) {}

protected:
  /// Begins with the item that `grid` is at. Queries of all units begin to be
  /// copied, unless they come with the keys.
  void emitStart(tile::GridOp grid);
  /// Makes `head` the one that is weighed, or whose queries and keys are read.
  void setHead(mlir::Value head) { heads.assign({head}); }
  /// The head that unit `unit` scores.
  mlir::Value headOf(mlir::Value unit) {
    return sizes.units == 1 ? blockHeads.front() : unit;
  }
  /// Begins to copy the keys of `unit` from `firstKey` on, as a group, and its
  /// queries where they come with them; or the scores that are given.
  void emitKeys(mlir::Value unit, mlir::Value firstKey, mlir::Value stage);
  /// Begins to copy values from `firstKey` on, as a group.
  void emitValues(mlir::Value firstKey);
  /// The scores of `unit`, whose keys are in `stage`.
  Scores emitUnit(mlir::Value unit, mlir::Value firstKey, mlir::Value stage);
  /// The value tile number `tile`.
  mlir::Value valuesOf(int64_t tile) {
    return tileOf(valueTiles, at.value(tile), sizes.keys);
  }

  const TwoPassSizes &sizes;
  /// The output heads of the block.
  Values blockHeads;

private:
  /// Windows are those of the weighed head, from `firstKey` on.
  void placeWindows();
  /// Begins to copy the queries of `unit` to stage `stage` of theirs.
  void emitQueries(mlir::Value unit, mlir::Value stage);
  /// The keys of tile `tile` in `stage`, and the queries of `channel`.
  mlir::Value keysOf(mlir::Value stage, int64_t tile) {
    return tileOf(keyTiles, at.add(at.mul(stage, sizes.tiles()), tile),
                  sizes.keys);
  }
  mlir::Value queriesOf(mlir::Value stage, int64_t channel) {
    return tileOf(queryTiles, at.add(at.mul(stage, sizes.channels), channel),
                  groupQueries);
  }
  /// Number `number` of the tiles of `rows` rows that `tiles` consists of.
  mlir::Value tileOf(mlir::Value tiles, mlir::Value number, int64_t rows);
  mlir::Value matrixOf(mlir::Value tensor, mlir::Value head,
                       llvm::ArrayRef<mlir::Value> more = {});

  mlir::Value keyTiles, valueTiles, queryTiles;
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_TWO_PASS_BLOCK_H
