// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared part of tiles whose heads mix after the softmax.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_MIXED_TILE_H
#define MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_MIXED_TILE_H

#include "passes/schedule/x86/attention/Outputs.h"

namespace mixattn {

/// A tile of outputs with the coefficients of the mixer of weights: one matrix
/// for all queries, or one for each.
class MixedTile : public OutputTile {
public:
  using OutputTile::OutputTile;

protected:
  void takeCoefficientScratch();
  /// Makes the coefficients of the tile's queries where each has its own.
  void emitCoefficients();
  /// The factor of the weights of head `from` for head `to`, for the queries of
  /// the row of lanes `lane`.
  mlir::Value coefficient(mlir::Value from, mlir::Value to, mlir::Value lane);
  /// Writes the outputs of all heads as they are.
  void emitFinishedOutputs();

private:
  int64_t sourceFeatures() {
    return llvm::cast<mlir::RankedTensorType>(op.getMixSource().getType())
        .getDimSize(3);
  }

  mlir::Value coefficientTile, sourceTile;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_MIXED_TILE_H
