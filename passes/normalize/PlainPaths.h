// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plain paths of ops that take no softmax over keys.

#ifndef MIXATTN_PASSES_NORMALIZE_PLAIN_PATHS_H
#define MIXATTN_PASSES_NORMALIZE_PLAIN_PATHS_H

#include "dialect/attn/AttnOps.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

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

/// Replaces every op of the kinds `Ops` below `root` by its plain path.
template <typename... Ops> void decomposeEach(mlir::Operation *root) {
  llvm::SmallVector<mlir::Operation *> all;
  root->walk([&](mlir::Operation *op) {
    if (llvm::isa<Ops...>(op) && !op->getParentOfType<KernelOp>())
      all.push_back(op);
  });
  mlir::IRRewriter rewriter(root->getContext());
  for (mlir::Operation *op : all) {
    rewriter.setInsertionPoint(op);
    mlir::Value result =
        llvm::TypeSwitch<mlir::Operation *, mlir::Value>(op).Case<Ops...>(
            [&](auto op) { return decompose(op, rewriter); });
    rewriter.replaceOp(op, result);
  }
}

} // namespace mixattn

#endif // MIXATTN_PASSES_NORMALIZE_PLAIN_PATHS_H
