// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile of outputs: pooled values, quotients, results.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_OUTPUTS_H
#define MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_OUTPUTS_H

#include "passes/schedule/x86/attention/AttentionTile.h"
#include "passes/schedule/x86/attention/ValuePanels.h"

namespace mixattn {

/// The pooled values of a tile's heads.
class Outputs : public TilePart {
public:
  explicit Outputs(AttentionTile &tile)
      : TilePart(tile), features(op.getValueType().getDimSize(3)) {}

  /// After a walk the sum's inverse stands in place of the block's sum. It is 0
  /// where nothing was seen.
  static constexpr Statistic Inverse = Partial;

  void takeScratch();
  /// A tile for the weights of a block of `count` heads, as they are pooled.
  mlir::Value takeWeights(int64_t count) {
    return hasPairedValues() ? takePairs(count * sizes.block)
                             : takeTile(count * sizes.block);
  }
  /// The weights of the block that begin in row `row` of `tile`.
  mlir::Value weightsOf(mlir::Value tile, mlir::Value row) {
    return holdsPairs(tile) ? rowsOf(tile, at.div(row, 2), sizes.block / 2)
                            : rowsOf(tile, row, sizes.block);
  }
  /// The first row of the outputs of `head`.
  mlir::Value outputRow(mlir::Value head) {
    return at.mul(slotOf(head), rowsOfHead());
  }
  /// `keys` keys, and what AMX takes more of them.
  mlir::Value wholeSquares(mlir::Value keys);
  void emitCleared();
  /// Adds the values of `keys` keys from `firstKey` on, weighted by `weights`,
  /// to the outputs of `head`. While it adds a whole block, `unit` may run,
  /// `units` times.
  void emitPooled(mlir::Value head, mlir::Value firstKey, mlir::Value keys,
                  mlir::Value weights, int64_t units = 0,
                  llvm::function_ref<void(mlir::Value)> unit = nullptr);
  /// The same where heads take turns, one block of keys after the other: asks
  /// for the next one's values meanwhile, where they come from far.
  void emitPooledInTurn(mlir::Value head, mlir::Value firstKey,
                        mlir::Value keys, mlir::Value weights);
  /// Asks the second cache for share `number` of `shares` of the panel
  /// of `head` for the block from `firstKey` on, where panels come from beyond.
  void emitAskedPanel(mlir::Value head, mlir::Value firstKey,
                      mlir::Value number, int64_t shares);
  /// Turns the sums of `head` into their inverses, and writes lse where it is
  /// asked for.
  void emitInverses(mlir::Value head);
  /// Writes the outputs of `head`, multiplied by `factor`.
  void emitOutput(mlir::Value head, Statistic factor);
  /// Writes the outputs of `head` as they are.
  void emitFinished(mlir::Value head);

  mlir::Value outputTile;
  /// Features of values.
  int64_t features;

private:
  /// Rows of a matrix: `count` from row `first` on.
  struct Rows {
    mlir::Value matrix, first, count;
  };
  bool hasPairedValues() { return tile.hasPairedValues(); }
  /// Rows of the tile for the outputs of a head: features, and more where AMX
  /// wants whole squares.
  int64_t rowsOfHead() {
    return tile.isAmx() ? rowsOfValuePanel(features) : features;
  }
  mlir::Value panelOf(mlir::Value group, mlir::Value firstKey);
  Rows takeValues(mlir::Value values, mlir::Value group, mlir::Value firstKey,
                  mlir::Value keys);
  bool hasConvertedValues() {
    return !op.getValueType().getElementType().isF32();
  }
  /// Whether the values of heads that take turns come from far, so that they
  /// are asked for: an i1, or null where they never are. AMX has panels of
  /// them.
  mlir::Value emitAreFar();
  mlir::Value valuesOf(mlir::Value head);
  /// Whether a query of a tile may not weigh a key that others do, or none may:
  /// what its value holds must not reach the query's output. AMX takes whole
  /// squares, also of keys that `lengths` hides.
  bool mayHideValues() {
    return mayHideKeys(op) || op.getCausal() || op.getBand() || op.getKeep() ||
           (tile.isAmx() && op.getLengths());
  }
  /// Whether `rows`, the values of `keys` keys from `firstKey` on, can be
  /// pooled as they are: an i1.
  mlir::Value emitAreFinite(const Rows &rows, mlir::Value firstKey,
                            mlir::Value keys);
  /// The same values, or unless they are finite a copy in `valueTile` with 0
  /// for what is not.
  Rows emitFinite(const Rows &rows, mlir::Value areFinite);
  /// Pools what is not finite in `values`, for the queries that weigh it.
  void emitPooledOthers(const Rows &values, mlir::Value weights,
                        mlir::Value head);
  void emitUnless(mlir::Value condition, llvm::function_ref<void()> inside);
  /// The values of a block: in pairs of keys, as f32, or those that are finite.
  mlir::Value valueTile;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_OUTPUTS_H
