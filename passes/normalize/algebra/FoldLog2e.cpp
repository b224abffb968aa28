// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exponentials as powers of 2.

#include "passes/normalize/algebra/Algebra.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

/// Why `op` needs scores in natural units, or an empty text. Where `early`,
/// log2 e acts on raw scores, and else with the scale.
static StringRef seesNaturalUnits(GenericOp op, bool early) {
  if (op.getGivenScores())
    return "scores are given in natural units";
  if (op.getBias())
    return "a bias is added in natural units";
  if (cast<AttentionOpInterface>(op.getOperation()).hasScoreMod())
    return "a score_mod reads natural scores";
  if (op.getSigsoftmax())
    return "a sigmoid reads natural scores";
  if (early && op.getW1())
    return "an MLP reads natural scores";
  if (early && op.getNoiseKind())
    return "noise is added in natural units";
  return {};
}

namespace {

/// … scale s  ->  … scale (s log2 e) base2
///
/// Where components meet in logsumexp, log2 e acts before:
///
/// variances [v, …] key_term(t) prior(p)  ->
///     variances [v / log2 e, …] key_term(t log2 e) prior(p log2 e) base2
///
/// A linear mixer and a ReLU pass the positive factor on.
struct FoldLog2e : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getBase2())
      return rewriter.notifyMatchFailure(op, "exponentials are powers of 2");
    auto attention = cast<AttentionOpInterface>(op.getOperation());
    bool meetsEarly = attention.hasComponents() && !op.getMaximum();
    StringRef why = seesNaturalUnits(op, meetsEarly || op.getScaleBefore());
    if (!why.empty())
      return decline(rewriter, op, "FoldLog2e", why);

    double scale = attention.getScaleOrDefault();
    SmallVector<double> variances;
    if (meetsEarly)
      variances = scaledVariances(op);
    else
      scale *= llvm::numbers::log2e;
    if (!isScale(scale) || !llvm::all_of(variances, isVariance))
      return decline(rewriter, op, "FoldLog2e",
                     "a factor would leave the range of f32");
    rewriter.modifyOpInPlace(op, [&] {
      op.setScale(APFloat(scale));
      op.setBase2(true);
      if (!meetsEarly)
        return;
      op.setVariances(variances);
      for (MutableOperandRange term :
           {op.getQueryTermMutable(), op.getKeyTermMutable(),
            op.getPriorMutable()})
        if (!term.empty())
          term.assign(emitScaled(rewriter, op.getLoc(), term[0].get(),
                                 llvm::numbers::log2e));
    });
    noteApplied(op, "FoldLog2e");
    return success();
  }

private:
  /// The variances divided by log2 e, and as many of them.
  static SmallVector<double> scaledVariances(GenericOp op) {
    auto attention = cast<AttentionOpInterface>(op.getOperation());
    if (std::optional<ArrayRef<double>> variances = op.getVariances())
      return llvm::map_to_vector(*variances, [](double variance) {
        return variance * llvm::numbers::ln2;
      });
    // Terms alone give components to one product.
    bool isShared = attention.getKeyType().getRank() == 4 && !op.getShifts();
    double variance = op.getGaussian() ? attention.getVariance(0) : 1.0;
    return SmallVector<double>(isShared ? 1 : attention.getNumComponents(),
                               variance * llvm::numbers::ln2);
  }
};

} // namespace

void mixattn::populateFoldLog2e(RewritePatternSet &patterns) {
  patterns.add<FoldLog2e>(patterns.getContext());
}
