// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chunks of keys of a linear attention, and the states that they add to.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_LINEAR_KEY_STATES_H
#define MIXATTN_PASSES_SCHEDULE_X86_LINEAR_KEY_STATES_H

#include "passes/schedule/x86/linear/FeatureRows.h"

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

  void takeScratch();
  /// The columns of a state: whole vectors of a value's features.
  int64_t valueColumns() const { return pooledColumns; }
  /// Keys of `batch` that count.
  mlir::Value emitCount(mlir::Value batch);
  void emitCleared(const State &state);
  /// The mixed features of `count` keys of `head`, from key `first` on.
  void emitKeys(mlir::Value batch, mlir::Value head, mlir::Value first,
                mlir::Value count, mlir::Value tile);
  /// The values of the same keys, in f32.
  void emitValues(mlir::Value batch, mlir::Value head, mlir::Value first,
                  mlir::Value count, mlir::Value tile);
  /// Adds `count` keys to `state`.
  void emitUpdate(const State &state, mlir::Value keys, mlir::Value values,
                  mlir::Value count);
  /// Whether the values of `count` keys of `head` from `first` on are finite.
  mlir::Value emitAreFinite(mlir::Value batch, mlir::Value head,
                            mlir::Value first, mlir::Value count);

private:
  void emitMixedKey(mlir::Value batch, mlir::Value head, mlir::Value key,
                    mlir::Value tile, mlir::Value row);
  mlir::Value valuesOf(mlir::Value batch, mlir::Value head);

  LinearKeysOpInterface op;
  int64_t pooledColumns;
  /// The features of one component.
  mlir::Value componentTile;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_LINEAR_KEY_STATES_H
