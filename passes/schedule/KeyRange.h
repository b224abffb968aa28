// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which keys a tile of queries can see.

#ifndef MIXATTN_PASSES_SCHEDULE_KEY_RANGE_H
#define MIXATTN_PASSES_SCHEDULE_KEY_RANGE_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/KernelBuffers.h"

namespace mixattn {

/// Keys that a tile visits, all of index type.
struct KeyRange {
  /// Keys that there are, and the one that query 0 stands at: their number less
  /// the number of queries, or the batch row's start.
  mlir::Value keys, alignment;
  /// Keys that a query of the tile may see by lengths, causality and band:
  /// from `begin` to before `end`; none where `end` is not larger.
  mlir::Value begin, end;
  /// Keys of those that every query of the tile sees.
  mlir::Value insideBegin, insideEnd;
  /// Keys of those whose weights every query keeps after the softmax.
  mlir::Value keptBegin, keptEnd;
  /// Keys whose weights some query of the tile keeps; all that are seen unless
  /// weights are dropped.
  mlir::Value pooledBegin, pooledEnd;
  /// Whether the batch row's length is out of 0 to `keys`, and the nearest that
  /// is not was taken for it: an i1. Null where there are no lengths. The same
  /// of its start.
  mlir::Value isLengthBad, isStartBad;

  /// Emits whether every query of the tile sees all of `keys` keys from `first`
  /// on, and keeps their weights: an i1. A mask is not looked at.
  mlir::Value emitIsWeighed(mlir::ImplicitLocOpBuilder &b, mlir::Value first,
                            mlir::Value keys) const;
  /// Emits whether some query of the tile keeps weights of `keys` keys from
  /// `first` on: an i1.
  mlir::Value emitIsPooled(mlir::ImplicitLocOpBuilder &b, mlir::Value first,
                           int64_t keys) const;
};

/// Emits whether the weights of `query` are kept for no key after the softmax,
/// whatever it sees: an i1. Only for ops that drop weights.
mlir::Value emitKeepsNone(mlir::ImplicitLocOpBuilder &b,
                          AttentionOpInterface op, const KeyRange &range,
                          mlir::Value query);

/// Emits the range for `queries` queries from `firstQuery` on in batch row
/// `batch`.
KeyRange emitKeyRange(mlir::ImplicitLocOpBuilder &b, ScoreOpInterface op,
                      KernelBuffers &buffers, mlir::Value firstQuery,
                      mlir::Value queries, mlir::Value batch);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_KEY_RANGE_H
