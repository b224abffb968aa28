// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules for the content of a score_mod region.

#ifndef MIXATTN_DIALECT_ATTN_SCORE_MOD_H
#define MIXATTN_DIALECT_ATTN_SCORE_MOD_H

#include "dialect/attn/AttnOps.h"

namespace mixattn {

/// Whether `op` is one of the scalar arith and math ops of a score_mod: those
/// whose meaning in f32 the lowering and the oracle both know.
bool isScoreModElementwise(mlir::Operation *op);

/// Whether the scores that `region`, a score_mod, gives can keep a key from all
/// queries: by a constant so large that some weights become 0, by a number that
/// a tensor holds for each key, or by one that is chosen by the key in place of
/// the score.
bool scoreModMayHideKeys(mlir::Region &region);

/// C10: the region takes a float score and four indices, and ends in
/// `attn.yield`. What the ops in it must be, detail::verifyScoreModOps says.
mlir::LogicalResult verifyScoreMod(AttentionOpInterface op);

} // namespace mixattn

#endif // MIXATTN_DIALECT_ATTN_SCORE_MOD_H
