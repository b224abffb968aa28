// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plain paths of ops that take no softmax over keys.

#ifndef MIXATTN_PASSES_NORMALIZE_PLAIN_PATHS_H
#define MIXATTN_PASSES_NORMALIZE_PLAIN_PATHS_H

#include "dialect/attn/AttnOps.h"

namespace mixattn {

/// Emits linalg ops that compute the result of `op`, of its type, in front of
/// it.
mlir::Value decompose(LinearGenericOp op, mlir::RewriterBase &rewriter);
mlir::Value decompose(StructuredPoolOp op, mlir::RewriterBase &rewriter);
mlir::Value decompose(ResponsibilitiesOp op, mlir::RewriterBase &rewriter);
mlir::Value decompose(PriorUpdateOp op, mlir::RewriterBase &rewriter);
mlir::Value decompose(OrthogonalPenaltyOp op, mlir::RewriterBase &rewriter);
mlir::Value decompose(RowTermOp op, mlir::RewriterBase &rewriter);
mlir::Value decompose(ProjectOp op, mlir::RewriterBase &rewriter);

} // namespace mixattn

#endif // MIXATTN_PASSES_NORMALIZE_PLAIN_PATHS_H
