// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chunks of keys of a linear attention, and the states that they add to.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_LINEAR_KEY_STATES_H
#define MIXATTN_PASSES_SCHEDULE_X86_LINEAR_KEY_STATES_H

#include "passes/schedule/x86/linear/FeatureRows.h"
#include "passes/schedule/x86/linear/Thirds.h"

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
  /// A block of keys of one head, in f32: features and values as rows, and the
  /// features turned, a column for a key, for scores and for AMX. The thirds of
  /// values are there for AMX, from row `thirdsRow` of `thirds` on.
  struct Chunk {
    mlir::Value features, values, turned, thirds, thirdsRow;
  };

  void takeScratch();
  /// The thirds of a chunk's values, in scratch.
  mlir::Value takeValueThirds() {
    return thirds.takeRight(sizes.block, pooledColumns, Thirds::Right::Exact);
  }
  /// The columns of a state: whole vectors of a value's features.
  int64_t valueColumns() const { return pooledColumns; }
  /// Whether AMX multiplies the thirds of features and values, where these are
  /// finite: others are read by f32.
  bool isAmx() const { return usesAmx; }
  /// Keys of `batch` that count.
  mlir::Value emitCount(mlir::Value batch);
  void emitCleared(const State &state);
  /// Who reads a chunk, next to updates of states.
  struct Readers {
    /// Scores, which take turned features.
    bool areScores = false;
    /// Products over all its rows: values after the last key become 0.
    bool areOfAllRows = false;
  };
  /// The mixed features and the values of `count` keys of `head`, from key
  /// `first` on; whether these `areFinite`, for AMX.
  void emitChunk(mlir::Value batch, mlir::Value head, mlir::Value first,
                 mlir::Value count, const Chunk &chunk, const Readers &readers,
                 mlir::Value areFinite);
  /// Adds `count` keys to `state`; by AMX where their values `areFinite`.
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
  Thirds thirds;
  /// The features of one component; the thirds of features, and the sums of a
  /// chunk.
  mlir::Value componentTile, featureThirds, chunkSums;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_LINEAR_KEY_STATES_H
