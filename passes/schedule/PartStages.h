// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attentions of a few queries as stages: parts of the keys, and their merge.

#ifndef MIXATTN_PASSES_SCHEDULE_PART_STAGES_H
#define MIXATTN_PASSES_SCHEDULE_PART_STAGES_H

#include "dialect/attn/AttnOps.h"

namespace mixattn {

/// Replaces `op`, which stands in a kernel and gives no weights, by its stages:
/// `attn.parts` and `attn.merge_parts`, and between them, where weights of
/// heads meet, `attn.part_factors` and `attn.pool_parts`. Columns of values are
/// multiples of `lanes`. Stages make `terms`, which `op` reads, themselves.
void makePartStages(mlir::RewriterBase &rewriter, GenericOp op, int64_t split,
                    int64_t block, int64_t lanes,
                    llvm::ArrayRef<RowTermOp> terms = {});

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_PART_STAGES_H
