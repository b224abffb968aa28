// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block of threads that passes over keys once: scores, weights, pooled
// values.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_ONLINE_BLOCK_H
#define MIXATTN_PASSES_SCHEDULE_MMA_ONLINE_BLOCK_H

#include "passes/schedule/gpu/FragmentBody.h"
#include "passes/schedule/mma/BlockSizes.h"

namespace mixattn::mma {

/// Emits the code of a block of threads. Which keys its item has, and what
/// becomes of its outputs, a schedule may say otherwise.
class OnlineBlock : public FragmentBody {
public:
  OnlineBlock(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
              const BlockSizes &sizes, int64_t exps)
      : FragmentBody(b, kernel, sizes.op, sizes.group.heads, exps),
        sizes(sizes) {
    rowHeads = sizes.rowHeads;
  }

  void emit(tile::GridOp grid);

protected:
  /// Begins with the item that `grid` is at.
  virtual void emitItemOf(tile::GridOp grid) {
    emitItem(grid, sizes.queries());
  }
  /// Writes what a group of rows has in the end: of each head its outputs,
  /// which are sums of weighted values, if there are values, and each lane's
  /// part of its statistics.
  virtual void emitEnd(mlir::ValueRange outputs,
                       llvm::ArrayRef<Statistics> parts) {
    emitResults(outputs, parts);
  }
  /// Takes the `weights` that head `g` gives to the keys from `firstKey` on,
  /// where no values are pooled. Those before become relative to the new
  /// reference by `rescale`.
  virtual void emitHandOver(int64_t g, mlir::Value firstKey,
                            mlir::Value weights, const Rescale &rescale) {
    llvm_unreachable("blocks without values say what becomes of weights");
  }

  const BlockSizes &sizes;
  const HeadGroup &group = sizes.group;

private:
  /// The values that a group of rows of a head carries from block of keys to
  /// block of keys. Outputs are null where no values are pooled.
  struct State {
    mlir::Value outputs;
    Statistics statistics;
  };

  bool hasValues() const { return group.values > 0; }
  /// A state as loops carry it, and the `i`th of those `carried`.
  Values numbersOf(const State &state) const;
  State stateOf(mlir::ValueRange carried, int64_t i) const;

  void emitGroups();
  void emitQueries();
  void emitOwnTerms(mlir::Value stage);
  mlir::Value queryMatrix(int64_t channel);
  Values queriesOf(int64_t channel);
  void emitCopies(mlir::Value firstKey, mlir::Value stage);
  llvm::SmallVector<State> emitStep(mlir::Value firstKey, mlir::Value stage,
                                    llvm::SmallVector<State> states);
  /// The weights that head `g` gives to the block from `firstKey` on, as the
  /// left side of products, or before some are dropped; null where they are
  /// handed over. `state` is brought up to date, and its outputs are relative
  /// to the new reference.
  mlir::Value emitStepOf(int64_t g, mlir::Value firstKey, const Scores &scores,
                         State &state);
  Values emitPooled(int64_t g, mlir::Value firstKey, mlir::Value stage,
                    mlir::ValueRange weights, mlir::ValueRange outputs);
  mlir::Value asOperand(mlir::Value weights) {
    auto type = mlir::VectorType::get({sizes.keys / 2}, sizes.type);
    return tile::ToOperandOp::create(b, type, weights);
  }
  /// Goes on with the rows of group `r`.
  void beginRows(int64_t r) {
    firstOfGroup = firstRows[r];
    endOfRows = ends[r];
    areApart = rowsApart[r];
  }
  /// `rows` rows of `tile` from `first` on.
  mlir::Value rowsOf(mlir::Value tile, mlir::Value first, int64_t rows) {
    int64_t columns = llvm::cast<tile::SharedType>(tile.getType()).getColumns();
    return tile::SharedRowsOp::create(b, sizes.tile(rows, columns), tile,
                                      first);
  }
  /// Tile `tile` of a stage, of which each has `count`.
  mlir::Value tileOf(mlir::Value tiles, mlir::Value stage, int64_t tile,
                     int64_t count) {
    mlir::Value number = at.add(at.mul(stage, count), tile);
    return rowsOf(tiles, at.mul(number, sizes.keys), sizes.keys);
  }
  mlir::Value keysOf(mlir::Value stage, int64_t tile) {
    return tileOf(keyTiles, stage, tile, group.tiles());
  }
  mlir::Value valuesOf(mlir::Value stage, int64_t tile) {
    return tileOf(valueTiles, stage, tile, group.values);
  }
  mlir::Value matrixOf(mlir::Value tensor, mlir::Value head,
                       llvm::ArrayRef<mlir::Value> more = {}) {
    Values leading = {batch, head};
    llvm::append_range(leading, more);
    return KernelBuffers::matrixAt(b, buffers.bufferOf(tensor), leading);
  }

  mlir::Value keyTiles, valueTiles, queryTiles;
  /// The queries of the only channel, in registers, a group each.
  Values queries;
  /// The first row of each group of rows, where its rows end, and whether terms
  /// of their components lie apart.
  Values firstRows, ends, rowsApart;
  /// Numbers that are added to the block's own terms of keys, one for each
  /// component.
  Values priors;
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_ONLINE_BLOCK_H
