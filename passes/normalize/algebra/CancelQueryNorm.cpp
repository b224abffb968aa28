// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Equal variances: a Gaussian score is a product plus a term per key.

#include "passes/normalize/algebra/Algebra.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// scores(q, k) gaussian variances [v, v, …]
///   ->  scores(q, k) variances [v, v, …] key_term(-|k_r|^2 / (2 v))
///
/// -|q - k_r|^2 / (2 v) = q . k_r / v - |k_r|^2 / (2 v) - |q|^2 / (2 v); the
/// last term is one constant of a query's row (mixture of Gaussian keys,
/// section 2.1).
struct CancelQueryNorm : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    auto attention = cast<AttentionOpInterface>(op.getOperation());
    if (!op.getGaussian() || op.getShifts())
      return rewriter.notifyMatchFailure(op, "no Gaussian without shifts");
    std::optional<double> variance = getCommonVariance(op);
    if (!variance)
      return decline(rewriter, op, "CancelQueryNorm", "variances differ");
    if (!attention.isRowShiftInvariant())
      return decline(rewriter, op, "CancelQueryNorm",
                     "something sees a constant added to a row of scores");
    if (op.getKeyProjection())
      return decline(rewriter, op, "CancelQueryNorm", "keys are projected");
    if (op.getKeyTerm())
      return decline(rewriter, op, "CancelQueryNorm",
                     "there is a term per key already");

    Value key = op.getKey();
    int64_t rank = attention.getKeyType().getRank();
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, op.getLoc(), key);
    sizes.pop_back();
    AffineMap each = rewriter.getMultiDimIdentityMap(rank);
    AffineMap norm = each.dropResult(rank - 1);
    Value term = emitDots(rewriter, op.getLoc(), {key, key}, {each, each, norm},
                          sizes, -0.5 / *variance);
    SmallVector<double> variances(rank == 5 ? attention.getNumComponents() : 1,
                                  *variance);
    rewriter.modifyOpInPlace(op, [&] {
      op.setGaussian(false);
      op.setVariances(variances);
      op.getKeyTermMutable().assign(term);
    });
    noteApplied(op, "CancelQueryNorm");
    return success();
  }
};

} // namespace

void mixattn::populateCancelQueryNorm(RewritePatternSet &patterns) {
  patterns.add<CancelQueryNorm>(patterns.getContext());
}
