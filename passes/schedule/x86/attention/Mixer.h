// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coefficients of a mixer of weights, for a tile of queries.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_MIXER_H
#define MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_MIXER_H

#include "passes/schedule/x86/attention/AttentionTile.h"

namespace mixattn {

/// The coefficients of a mixer of weights: one matrix for all queries, or one
/// for each.
class Mixer : public TilePart {
public:
  using TilePart::TilePart;

  void takeScratch();
  /// Makes the coefficients of the tile's queries where each has its own, or a
  /// copy in f32 of those of all where they have 16 bits.
  void emitCoefficients();
  /// The factor of the weights of head `from` for head `to`, for the queries of
  /// the row of lanes `lane`.
  mlir::Value coefficient(mlir::Value from, mlir::Value to, mlir::Value lane);

private:
  int64_t sourceFeatures() {
    return llvm::cast<mlir::RankedTensorType>(op.getMixSource().getType())
        .getDimSize(3);
  }

  mlir::Value coefficientTile, sourceTile;
  /// A mixer of 16 bits as f32: each coefficient is broadcast many times, by a
  /// load alone.
  mlir::Value widenedMixer;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_MIXER_H
