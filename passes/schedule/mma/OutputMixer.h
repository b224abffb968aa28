// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block of threads that passes over keys once, and whose heads mix what they
// pooled.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_OUTPUT_MIXER_H
#define MIXATTN_PASSES_SCHEDULE_MMA_OUTPUT_MIXER_H

#include "passes/schedule/mma/OnlineBlock.h"

#include <string>

namespace mixattn::mma {

/// Heads that read the same values may mix outputs in place of weights:
///
///   sum_g M[g,h] (P_g V) = (sum_g M[g,h] P_g) V
///
/// All heads of a query have rows of the block, one after the other. What they
/// pooled meets in shared memory in the end, as f32, and is rounded once.
class OutputMixer final : public OnlineBlock {
public:
  using OnlineBlock::OnlineBlock;

  /// Why heads of `op`, whose weights mix, do not mix outputs, or nothing.
  static std::string whyNot(AttentionOpInterface op);

protected:
  void emitEnd(mlir::ValueRange outputs,
               llvm::ArrayRef<Statistics> parts) override;
  void emitStore(int64_t g, mlir::Value outputs) override;
  void emitStoreAt(int64_t g, mlir::Value query, mlir::Value column,
                   mlir::Value number) override;

private:
  /// Writes what each head gives to the group's rows.
  void emitMixers();
  /// The mixed outputs of the group's rows.
  mlir::Value emitMixed();

  mlir::Value outputTile, mixerTile;
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_OUTPUT_MIXER_H
