// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Projected keys and values as stages of their own.

#ifndef MIXATTN_PASSES_NORMALIZE_PROJECTIONS_H
#define MIXATTN_PASSES_NORMALIZE_PROJECTIONS_H

#include "dialect/attn/AttnOps.h"

namespace mixattn {

/// Whether keys and values are projected.
bool hasProjections(GenericOp op);

/// Makes `attn.project` of projected keys and values. Whether there were any.
bool makeProjections(mlir::RewriterBase &rewriter, GenericOp op);

} // namespace mixattn

#endif // MIXATTN_PASSES_NORMALIZE_PROJECTIONS_H
