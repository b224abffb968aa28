// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gaussians and shifted keys become products, and terms of rows.

#include "passes/body/Body.h"
#include "passes/normalize/Projections.h"
#include "passes/normalize/algebra/Algebra.h"
#include "passes/normalize/algebra/Stages.h"

using namespace mlir;
using namespace mixattn;

bool mixattn::makeTerms(RewriterBase &rewriter, GenericOp op) {
  if ((!op.getGaussian() && !op.getShifts()) || hasProjections(op))
    return false;
  auto attention = cast<AttentionOpInterface>(op.getOperation());
  SmallVector<double> variances, factors;
  for (int64_t r = 0; r < attention.getNumComponents(); ++r) {
    variances.push_back(
        op.getGaussian() || op.getVariances() ? attention.getVariance(r) : 1.0);
    factors.push_back(1 / variances.back());
  }
  // |q|^2 is one constant of a row of scores where variances are equal.
  bool hasQuerySquare = op.getGaussian() && !(llvm::all_equal(variances) &&
                                              attention.isRowShiftInvariant());
  bool hasPrior = Body::takesPrior(attention);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Value ofQuery, ofKey;
  if (op.getShifts() || hasQuerySquare)
    ofQuery = RowTermOp::create(rewriter, op.getLoc(), op.getQuery(),
                                op.getShifts(), op.getQueryTerm(), Value(),
                                factors, /*ofKeys=*/false, hasQuerySquare);
  if (op.getGaussian())
    ofKey = RowTermOp::create(rewriter, op.getLoc(), op.getKey(),
                              op.getShifts(), op.getKeyTerm(),
                              hasPrior ? op.getPrior() : Value(), factors,
                              /*ofKeys=*/true, /*hasSquare=*/true);
  APFloat scale(attention.getScaleOrDefault());
  rewriter.modifyOpInPlace(op, [&] {
    if (ofQuery)
      op.getQueryTermMutable().assign(ofQuery);
    if (ofKey)
      op.getKeyTermMutable().assign(ofKey);
    if (hasPrior)
      op.getPriorMutable().clear();
    op.getShiftsMutable().clear();
    op.setGaussian(false);
    op.setScale(scale);
    op.setVariances(variances);
  });
  return true;
}

namespace {

/// Says in a remark what became of scores that are no products.
struct MakeTerms : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getGaussian() && !op.getShifts())
      return rewriter.notifyMatchFailure(op, "scores are products");
    if (hasProjections(op))
      return decline(rewriter, op, "MakeTerms", "keys are projected");
    makeTerms(rewriter, op);
    noteApplied(op, "MakeTerms");
    return success();
  }
};

} // namespace

void mixattn::populateMakeTerms(RewritePatternSet &patterns) {
  patterns.add<MakeTerms>(patterns.getContext());
}
