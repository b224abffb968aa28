// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes weights that are a result.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_RETURNED_WEIGHTS_H
#define MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_RETURNED_WEIGHTS_H

#include "passes/schedule/x86/attention/AttentionTile.h"

namespace mixattn {

/// The weights `[B,H,N,S]` of an attention that returns them. A tile writes the
/// rows of its queries, all keys of each.
class ReturnedWeights : public TilePart {
public:
  using TilePart::TilePart;

  void takeScratch();
  /// Writes the weights of `head` for the `keys` keys of the current block,
  /// which begin in row `first` of `tile`, one row of lanes a key.
  void emitBlock(mlir::Value head, mlir::Value keys, mlir::Value tile,
                 mlir::Value first);
  /// Writes the weights of `head` for the keys that no query of the tile sees:
  /// for all of them the one that row `row` of `tile` has for the query, 0 or
  /// NaN; and 0 where the place is not kept.
  void emitUnseen(mlir::Value head, mlir::Value tile, mlir::Value row);

private:
  mlir::Value rowsOfHead(mlir::Value head);
  void emitFilled(mlir::Value rows, mlir::Value query, mlir::Value weight,
                  mlir::Value from, mlir::Value to);

  /// A row of ones: weights are written as they are.
  mlir::Value ones;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_RETURNED_WEIGHTS_H
