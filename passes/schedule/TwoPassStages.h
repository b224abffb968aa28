// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attentions whose weights mix as stages: factors of rows, then pooled values.

#ifndef MIXATTN_PASSES_SCHEDULE_TWO_PASS_STAGES_H
#define MIXATTN_PASSES_SCHEDULE_TWO_PASS_STAGES_H

#include "dialect/attn/AttnOps.h"

namespace mixattn {

/// Replaces `op`, which stands in a kernel, mixes weights and gives none, by
/// its stages: `attn.softmax_factors` and `attn.pool_mixed`.
void makeTwoPassStages(mlir::RewriterBase &rewriter, GenericOp op);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_TWO_PASS_STAGES_H
