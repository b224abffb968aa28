// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chunks of keys of a linear attention, and the states that they add to.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_LINEAR_KEY_STATES_H
#define MIXATTN_PASSES_SCHEDULE_X86_LINEAR_KEY_STATES_H

#include "passes/schedule/x86/linear/FeatureRows.h"
#include "passes/schedule/x86/linear/Halves.h"

namespace mixattn {

/// Emits features and values of keys, and sums of their products.
class KeyStates : public FeatureRows {
public:
  KeyStates(mlir::ImplicitLocOpBuilder &b, LinearKeysOpInterface op,
            KernelOperands &operands, const TileSizes &sizes, Scratch &scratch);

  /// Sums over keys of one head: of outer products of features and values, and
  /// of features; what they lost to rounding.
  struct State {
    mlir::Value sums, totals, lost, totalsLost;
  };
  /// A block of keys of one head, in f32: features and values as rows. AMX
  /// takes the features turned, a column for a key, and the halves of values
  /// from row `halvesRow` of `halves` on.
  struct Chunk {
    mlir::Value features, values, turned, halves, halvesRow;
  };

  void takeScratch();
  /// The halves of a chunk's values, in scratch.
  mlir::Value takeValueHalves() {
    return halves.takeRight(sizes.block, pooledColumns, Halves::Right::Exact);
  }
  /// The columns of a state: whole vectors of a value's features.
  int64_t valueColumns() const { return pooledColumns; }
  /// Whether AMX multiplies the halves of features and values.
  bool isAmx() const { return usesAmx; }
  /// Keys of `batch` that count.
  mlir::Value emitCount(mlir::Value batch);
  void emitCleared(const State &state);
  /// The mixed features and the values of `count` keys of `head`, from key
  /// `first` on, and what AMX takes. Values after them become 0 for AMX, and
  /// where `areAllRead`.
  void emitChunk(mlir::Value batch, mlir::Value head, mlir::Value first,
                 mlir::Value count, const Chunk &chunk, bool areAllRead);
  /// The features of `count` keys of `chunk` as columns.
  void emitTurned(const Chunk &chunk, mlir::Value count);
  /// Adds `count` keys to `state`; AMX where their values `areFinite`.
  void emitUpdate(const State &state, const Chunk &chunk, mlir::Value count,
                  mlir::Value areFinite);
  /// Whether the values of `count` keys of `head` from `first` on are finite.
  mlir::Value emitAreFinite(mlir::Value batch, mlir::Value head,
                            mlir::Value first, mlir::Value count);

private:
  void emitMixedKey(mlir::Value batch, mlir::Value head, mlir::Value key,
                    mlir::Value tile, mlir::Value row);
  mlir::Value valuesOf(mlir::Value batch, mlir::Value head);
  void emitValues(mlir::Value batch, mlir::Value head, mlir::Value first,
                  mlir::Value count, mlir::Value tile);
  void emitAdded(mlir::Value term, mlir::Value sums, mlir::Value lost,
                 mlir::Value row, mlir::Value column);
  void emitSums(const State &state, const Chunk &chunk, mlir::Value count);
  void emitSumsByAmx(const State &state, const Chunk &chunk, mlir::Value count);
  void emitTotals(const State &state, const Chunk &chunk, mlir::Value count);

  LinearKeysOpInterface op;
  int64_t pooledColumns;
  bool usesAmx;
  Halves halves;
  /// The features of one component; the halves of features, and the sums of a
  /// chunk.
  mlir::Value componentTile, featureHalves, chunkSums;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_LINEAR_KEY_STATES_H
