// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// States of linear attentions, and what queries read of them, as stages.

#ifndef MIXATTN_PASSES_SCHEDULE_LINEAR_STAGES_H
#define MIXATTN_PASSES_SCHEDULE_LINEAR_STAGES_H

#include "dialect/attn/AttnOps.h"

namespace mixattn {

/// Replaces `op`, which is not causal and stands in a kernel, by its stages:
/// `attn.linear_state`, with an MLP `attn.linear_mix_states`, and
/// `attn.linear_read`. They take `block` keys or queries at a time; rows and
/// columns of states are multiples of `lanes`. With a `span` as many keys have
/// a state of their own, and `attn.linear_add_states` follows.
void makeLinearStages(mlir::RewriterBase &rewriter, LinearGenericOp op,
                      int64_t block, int64_t lanes, int64_t span = 0);

/// The same of a causal `op` whose states no mixer joins, by spans of `span`
/// keys: `attn.linear_state`, `attn.linear_add_states`, and
/// `attn.linear_causal_read`.
void makeCausalSpans(mlir::RewriterBase &rewriter, LinearGenericOp op,
                     int64_t block, int64_t lanes, int64_t span);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_LINEAR_STAGES_H
