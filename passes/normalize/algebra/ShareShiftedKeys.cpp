// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shifted keys of one variance: one product serves all components.

#include "passes/normalize/algebra/Algebra.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// scores(q, k) shifted_by(shift) variances [v, v, …]
///   ->  scores(q, k) variances [v] query_term(q . shift_r / v)
///
/// and for a Gaussian key_term(-|k + shift_r|^2 / (2 v)) besides, with |q|^2
/// dropped as in CancelQueryNorm. The components still meet in logsumexp, so
/// nothing underflows however far apart their terms lie.
struct ShareShiftedKeys : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    auto attention = cast<AttentionOpInterface>(op.getOperation());
    if (!op.getShifts())
      return rewriter.notifyMatchFailure(op, "no shifts");
    std::optional<double> variance = getCommonVariance(op);
    if (!variance)
      return decline(rewriter, op, "ShareShiftedKeys", "variances differ");
    if (op.getGaussian() && !attention.isRowShiftInvariant())
      return decline(rewriter, op, "ShareShiftedKeys",
                     "something sees a constant added to a row of scores");
    if (op.getQueryTerm() || op.getKeyTerm())
      return decline(rewriter, op, "ShareShiftedKeys",
                     "there are terms per query or key already");
    if (!op.getGaussian() && !op.getVariances())
      variance = 1.0;

    Value queryTerm = emitQueryTerm(rewriter, attention, *variance);
    Value keyTerm;
    if (op.getGaussian())
      keyTerm = emitKeyTerm(rewriter, attention, *variance);
    APFloat scale(attention.getScaleOrDefault());
    rewriter.modifyOpInPlace(op, [&] {
      op.getShiftsMutable().clear();
      op.setScale(scale);
      op.setGaussian(false);
      op.setVariances(ArrayRef<double>{*variance});
      op.getQueryTermMutable().assign(queryTerm);
      if (keyTerm)
        op.getKeyTermMutable().assign(keyTerm);
    });
    noteApplied(op, "ShareShiftedKeys");
    return success();
  }

private:
  static AffineMap map(PatternRewriter &rewriter,
                       ArrayRef<AffineExpr> results) {
    return AffineMap::get(5, 0, results, rewriter.getContext());
  }

  /// term[b,h,r,i] = sum_d q[b,h,i,d] shift[h',r,d] / variance, with loops b,
  /// h, r, i, d.
  static Value emitQueryTerm(PatternRewriter &rewriter, AttentionOpInterface op,
                             double variance) {
    AffineExpr b, h, r, i, d;
    bindDims(rewriter.getContext(), b, h, r, i, d);
    Value query = op.getQuery();
    Location loc = op->getLoc();
    SmallVector<OpFoldResult> sizes = {
        tensor::getMixedSize(rewriter, loc, query, 0),
        rewriter.getIndexAttr(op.getNumQueryHeads()),
        rewriter.getIndexAttr(op.getNumComponents()),
        tensor::getMixedSize(rewriter, loc, query, 2)};
    return emitDots(rewriter, loc, {query, op.getShifts()},
                    {map(rewriter, {b, h, i, d}),
                     map(rewriter, {h.floorDiv(op.getKeyGroup()), r, d}),
                     map(rewriter, {b, h, r, i})},
                    sizes, 1.0 / variance);
  }

  /// term[b,g,r,j] = -sum_d (k[b,g,j,d] + shift[g,r,d])^2 / (2 variance), with
  /// loops b, g, r, j, d.
  static Value emitKeyTerm(PatternRewriter &rewriter, AttentionOpInterface op,
                           double variance) {
    AffineExpr b, g, r, j, d;
    bindDims(rewriter.getContext(), b, g, r, j, d);
    Value key = op.getKey();
    Location loc = op->getLoc();
    SmallVector<OpFoldResult> sizes = {
        tensor::getMixedSize(rewriter, loc, key, 0),
        tensor::getMixedSize(rewriter, loc, key, 1),
        rewriter.getIndexAttr(op.getNumComponents()),
        tensor::getMixedSize(rewriter, loc, key, 2)};
    AffineMap place = map(rewriter, {b, g, j, d});
    return emitDots(
        rewriter, loc, {key, key, op.getShifts()},
        {place, place, map(rewriter, {g, r, d}), map(rewriter, {b, g, r, j})},
        sizes, -0.5 / variance);
  }
};

} // namespace

void mixattn::populateShareShiftedKeys(RewritePatternSet &patterns) {
  patterns.add<ShareShiftedKeys>(patterns.getContext());
}
