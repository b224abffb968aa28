// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact rewrites of the normal form, and what they share.

#ifndef MIXATTN_PASSES_NORMALIZE_ALGEBRA_ALGEBRA_H
#define MIXATTN_PASSES_NORMALIZE_ALGEBRA_ALGEBRA_H

#include "dialect/attn/AttnOps.h"

namespace mixattn {

/// Gaussians and shifted keys  ->  products and terms of rows (Stages.h).
void populateMakeTerms(mlir::RewritePatternSet &patterns);

/// Keys of one component  ->  keys without components.
void populateDropSingleComponent(mlir::RewritePatternSet &patterns);

/// A constant mixer whose columns each pick one head  ->  those heads, without
/// a mixer.
void populateSelectHeads(mlir::RewritePatternSet &patterns);

/// Query heads whose rows of a constant mixer of scores are zero vanish.
void populatePruneHeads(mlir::RewritePatternSet &patterns);

/// Features of several components per key  ->  their mixture, one per key.
void populateMixFeatures(mlir::RewritePatternSet &patterns);

/// A prior per query head becomes a part of the term per key.
void populateFoldPrior(mlir::RewritePatternSet &patterns);

/// exp(s)  ->  2^(s log2 e): scales, variances and terms take log2 e in, and
/// every exponential becomes a power of 2.
void populateFoldLog2e(mlir::RewritePatternSet &patterns);

/// Scale and common variance become a factor of a query in f32.
void populateFoldScale(mlir::RewritePatternSet &patterns);

/// A mixer of weights over shared values  ->  a mixer of outputs.
void populateMixOutputs(mlir::RewritePatternSet &patterns);

/// Folds onto plain attention: components as further keys, mixed query heads as
/// features of one, value heads as features of one under a mixer of weights.
void populateConcatenateKeys(mlir::RewritePatternSet &patterns);
void populateConcatenateHeads(mlir::RewritePatternSet &patterns);
void populateConcatenateValues(mlir::RewritePatternSet &patterns);

/// Says that `rule` of `pass` does not apply to `op`, and why, in a missed
/// remark.
llvm::LogicalResult decline(mlir::PatternRewriter &rewriter,
                            mlir::Operation *op, llvm::StringRef rule,
                            llvm::StringRef why,
                            llvm::StringRef pass = "attn-simplify");

/// Says that `rule` of `pass` was applied to `op`.
void noteApplied(mlir::Operation *op, llvm::StringRef rule,
                 llvm::StringRef pass = "attn-simplify");

/// The variance that all components share, or none.
std::optional<double> getCommonVariance(GenericOp op);

/// Whether `factor` is finite and `divisor` is such that it and its inverse are
/// normal numbers in f32: what the verifier asks of scales and variances.
bool isScale(double factor);
bool isVariance(double divisor);

/// `value` times `factor`, in f32.
mlir::Value emitScaled(mlir::PatternRewriter &rewriter, mlir::Location loc,
                       mlir::Value value, double factor);

/// The elements of `value`, a matrix or one column of it, as rows of doubles;
/// none where it is not constant.
std::optional<llvm::SmallVector<llvm::SmallVector<double>>>
getConstantRows(mlir::Value value);

/// Dimension `dim` of `value` restricted to and ordered as `picked`.
mlir::Value gather(mlir::PatternRewriter &rewriter, mlir::Location loc,
                   mlir::Value value, int64_t dim,
                   llvm::ArrayRef<int64_t> picked);

} // namespace mixattn

#endif // MIXATTN_PASSES_NORMALIZE_ALGEBRA_ALGEBRA_H
