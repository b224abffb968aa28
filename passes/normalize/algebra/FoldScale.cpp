// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scale and variance are a factor of the query.

#include "passes/normalize/algebra/Algebra.h"

using namespace mlir;
using namespace mixattn;

/// Why the scale of `op` cannot act on raw scores, or an empty text.
static StringRef whyScaleStays(GenericOp op) {
  auto attention = cast<AttentionOpInterface>(op.getOperation());
  if (attention.hasComponents() && !op.getMaximum())
    return "components combine before the scale";
  if (op.getMaximum() && attention.getScaleOrDefault() <= 0)
    return "the scale is not positive and components combine before it";
  if (op.getScaleBefore())
    return {};
  if (op.getW1())
    return "an MLP reads scores before the scale";
  if (op.getNoiseKind())
    return "the scale acts on noise, too";
  if (op.getReluPerKey() && attention.getScaleOrDefault() <= 0)
    return "the scale is not positive and a ReLU comes before it";
  return {};
}

namespace {

/// scores(q, k) variances [v, …] scale s  ->  scores(q s / v, k) scale 1
///
/// Terms are scaled as the product was. The query is f32: one of 16 bits would
/// be rounded once more, or no longer of its keys' type.
struct FoldScale : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    auto attention = cast<AttentionOpInterface>(op.getOperation());
    double scale = attention.getScaleOrDefault();
    if (!op.getQuery() || (scale == 1.0 && !op.getVariances()))
      return rewriter.notifyMatchFailure(op, "no scale and no variances");
    if (op.getGaussian())
      return decline(rewriter, op, "FoldScale", "a Gaussian is no product");
    if (!attention.getQueryType().getElementType().isF32())
      return decline(rewriter, op, "FoldScale", "the query is not f32");
    std::optional<double> variance = getCommonVariance(op);
    if (!variance)
      return decline(rewriter, op, "FoldScale", "variances differ");
    StringRef why = scale == 1.0 ? StringRef() : whyScaleStays(op);
    if (!why.empty() && !op.getVariances())
      return decline(rewriter, op, "FoldScale", why);

    double onTerms = why.empty() ? scale : 1.0;
    double factor = op.getVariances() ? onTerms / *variance : onTerms;
    if (!isScale(factor))
      return decline(rewriter, op, "FoldScale",
                     "the factor would leave the range of f32");
    auto multiply = [&](MutableOperandRange operand, double by) {
      if (!operand.empty() && by != 1.0)
        operand.assign(emitScaled(rewriter, op.getLoc(), operand[0].get(), by));
    };
    rewriter.modifyOpInPlace(op, [&] {
      multiply(op.getQueryMutable(), factor);
      multiply(op.getQueryTermMutable(), onTerms);
      multiply(op.getKeyTermMutable(), onTerms);
      op.removeVariancesAttr();
      op.setScale(APFloat(why.empty() ? 1.0 : scale));
      op.setScaleBefore(op.getScaleBefore() && !why.empty());
    });
    noteApplied(op, "FoldScale");
    return success();
  }
};

} // namespace

void mixattn::populateFoldScale(RewritePatternSet &patterns) {
  patterns.add<FoldScale>(patterns.getContext());
}
