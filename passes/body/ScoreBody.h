// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The computation of an attention on one score: shared by every lowering.

#ifndef MIXATTN_PASSES_BODY_SCORE_BODY_H
#define MIXATTN_PASSES_BODY_SCORE_BODY_H

#include "dialect/attn/AttnOps.h"

namespace mixattn {
class BodyOperands;

/// Where a score stands: batch, head, query and key, all of index type, and
/// S - N, by which masks align queries with keys at the bottom right.
struct ScorePlace {
  mlir::Value b, h, i, j;
  mlir::Value offset;
  /// The key's number where j is held below the count of keys, else null: four
  /// keys share a block of random words, and only of this number is it known
  /// where a four begins.
  mlir::Value number = {};
  /// The even one of this number and its neighbour's, where a thread handles
  /// both keys, else null: it then draws random words for both at once.
  mlir::Value pair = {};
};

/// Converts an f16, bf16 or f32 to f32.
mlir::Value toF32(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value value);

/// Converts an f32 to the float type `type`.
mlir::Value fromF32(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value value, mlir::Type type);

/// Emits the scale on `score`, an f32.
mlir::Value emitScale(mlir::OpBuilder &builder, AttentionOpInterface op,
                      mlir::Value score);

/// Emits scale (unless it acted before the premix), bias and score_mod on the
/// combined and mixed `score`, an f32. `bias` is the element at `place`, or
/// null. A scale that acted already (`isScaled`) is left out. What a score_mod
/// captures is read through `operands`, where given.
mlir::Value emitModify(mlir::OpBuilder &builder, AttentionOpInterface op,
                       mlir::Value score, mlir::Value bias,
                       const ScorePlace &place, bool isScaled = false,
                       BodyOperands *operands = nullptr);

/// Emits the exponent of the weight of a score: emitModify, and what the
/// normaliser makes of it.
mlir::Value emitExponent(mlir::OpBuilder &builder, AttentionOpInterface op,
                         mlir::Value score, mlir::Value bias,
                         const ScorePlace &place, bool isScaled = false,
                         BodyOperands *operands = nullptr);

/// The indices at `place` of an operand that broadcasts from the right to
/// `[B,H,N,S]`: dims that are missing or of static size 1 repeat.
llvm::SmallVector<mlir::Value> broadcastIndices(mlir::OpBuilder &builder,
                                                mlir::Location loc,
                                                mlir::Type operand,
                                                const ScorePlace &place);

/// Emits whether `place` lies in `band`: an i1.
mlir::Value emitInBand(mlir::OpBuilder &builder, mlir::Location loc,
                       BandAttr band, const ScorePlace &place);

/// Emits whether `place` may attend: an i1, or null where nothing is hidden.
/// `mask` and `length` are the elements at `place`, or null.
mlir::Value emitIsVisible(mlir::OpBuilder &builder, ScoreOpInterface op,
                          mlir::Value mask, mlir::Value length,
                          const ScorePlace &place);

} // namespace mixattn

#endif // MIXATTN_PASSES_BODY_SCORE_BODY_H
