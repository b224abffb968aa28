// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile of outputs: pooled values, quotients, results.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_OUTPUTS_H
#define MIXATTN_PASSES_SCHEDULE_X86_OUTPUTS_H

#include "passes/schedule/x86/ScoreWalk.h"

namespace mixattn {

/// A walk whose tile holds pooled values of its heads beside the statistics.
class OutputTile : public ScoreWalk {
public:
  OutputTile(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
             const TileSizes &sizes, int64_t heads, mlir::Value scratch)
      : ScoreWalk(b, kernel, sizes, heads, scratch),
        features(op.getValueType().getDimSize(3)) {}

protected:
  /// Behind a walk the sum's inverse, 0 where nothing was seen, stands in place
  /// of the block's sum.
  static constexpr Statistic Inverse = Partial;

  int64_t outputBytes() { return bytesOf(heads * features) + valueBytes(); }
  void takeOutputScratch();
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
    return at.mul(slotOf(head), features);
  }
  void emitClearedOutputs();
  /// Adds the values of `keys` keys from `firstKey` on, weighted by `weights`,
  /// to the outputs of `head`. Beside a whole block `unit` may run, `units`
  /// times.
  void emitPooled(mlir::Value head, mlir::Value firstKey, mlir::Value keys,
                  mlir::Value weights, int64_t units = 0,
                  llvm::function_ref<void(mlir::Value)> unit = nullptr);
  /// Turns the sums of `head` into their inverses, and writes lse where it is
  /// asked for.
  void emitInverses(mlir::Value head);
  /// Writes the outputs of `head`, multiplied by `factor`.
  void emitOutput(mlir::Value head, Statistic factor);

  mlir::Value outputTile;
  /// The values of a block: in pairs of keys, as f32, or those that are seen.
  mlir::Value valueTile;
  /// Features of values.
  int64_t features;

private:
  int64_t valueBytes() {
    int64_t size = hasPairedValues() ? 2 : hasCopiedValues() ? 4 : 0;
    return sizes.block * features * size;
  }
  /// Whether values are pooled from a copy of the block's.
  bool hasCopiedValues() {
    return mayHideKeys() || !op.getValueType().getElementType().isF32();
  }
  /// Copies the values of `keys` keys from `firstKey` on, and 0 for keys whose
  /// weights are all 0.
  void emitSeenValues(mlir::Value values, mlir::Value firstKey,
                      mlir::Value keys, mlir::Value weights);
  /// Whether any query's weight is not 0, or NaN.
  mlir::Value
  emitAnyLane(llvm::function_ref<mlir::Value(mlir::Value lane)> weightsAt);
  /// Makes values 0 of keys whose weights are all 0, in `pairs` pairs of them.
  void emitSeenPairs(mlir::Value pairs, mlir::Value weights);
  mlir::Value targetOf(mlir::Value result) {
    return kernel
        .getOutputs()[llvm::cast<mlir::OpResult>(result).getResultNumber()];
  }
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_OUTPUTS_H
