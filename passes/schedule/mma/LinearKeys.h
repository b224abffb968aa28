// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chunks of keys and values of linear attention, as tiles.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_KEYS_H
#define MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_KEYS_H

#include "passes/schedule/mma/LinearBlock.h"

namespace mixattn::mma {

/// Emits what blocks do that sum up states.
class LinearKeys : public LinearBlock {
public:
  LinearKeys(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
             LinearKeysOpInterface op, const LinearSizes &sizes)
      : LinearBlock(b, kernel, sizes), op(op),
        features(b, op, op.getKeyType().getShape().back(), buffers) {}

protected:
  /// The state: for each panel of features a fragment of their rows and the
  /// block's columns. What these sums lose to rounding is in shared memory.
  using State = Values;

  /// The grid of kernels with a block for each key head, or for some columns of
  /// its values, of each batch row, and of each of `spans` where there are.
  tile::GridOp makeGrid(mlir::Value spans = {});
  /// Takes tiles for the keys and the values of a chunk, and for what sums
  /// lose; writes what serves all chunks.
  void takeTiles();
  /// A fragment of the rows of `panel` of the block's head, and its columns, of
  /// states in memory.
  mlir::Value readState(int64_t panel, mlir::Value states, mlir::Value totals,
                        mlir::ValueRange outer);
  /// How many keys of the batch row count.
  mlir::Value emitCount();
  /// Begins to copy what keys from `first` to before `end` are made of. Threads
  /// have met since they made those of the chunk before.
  void beginKeys(mlir::Value first, mlir::Value end);
  /// Writes features and values of the keys from `first` to before `end`, the
  /// copies of which are there. Threads have met since they read the tiles;
  /// before they do they wait for copies.
  void emitKeys(mlir::Value first, mlir::Value end);
  State emitNoState();
  /// `state` with the sums of the chunk's features times its values.
  State emitUpdate(const State &state);
  /// A loop over chunks of what is from 0 to `end`, which carries the state.
  State emitLoop(
      mlir::Value end, const State &state,
      llvm::function_ref<State(mlir::Value start, const State &state)> body);
  /// The `state` with all keys from `first` to before `end`.
  State emitStates(mlir::Value first, mlir::Value end, const State &state);

  LinearKeysOpInterface op;
  PartsAndOnes keys, values;

private:
  /// Number `column` of component `component` of the key in `row` of the chunk
  /// from `first` on.
  mlir::Value readKey(mlir::Value first, mlir::Value row, mlir::Value component,
                      mlir::Value column);
  Values emitFeaturesAt(mlir::Value first, mlir::Value row, mlir::Value feature,
                        int64_t count);
  void emitShared(mlir::Value first, mlir::Value count);
  /// Values and ones as numbers in parts.
  void emitValues(mlir::Value first, mlir::Value count);

  /// `sums` of a panel, those that are NaN summed up again: halves of an
  /// infinity may have made them so.
  mlir::Value emitSumsAgain(int64_t panel, mlir::Value sums);

  FeatureNumbers features;
  mlir::Value shared, lost;
  /// Rows of keys and values as they are, shifts, and weights of components;
  /// null where they are read from memory, or there are none.
  mlir::Value keyRows, valueRows, shiftTile, priorTile;
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_LINEAR_KEYS_H
