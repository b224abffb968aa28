// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gaussians and shifted keys become products, and terms of rows.

#include "passes/body/Terms.h"
#include "passes/normalize/Projections.h"
#include "passes/normalize/algebra/Algebra.h"
#include "passes/normalize/algebra/Stages.h"

using namespace mlir;
using namespace mixattn;

bool mixattn::makeTerms(RewriterBase &rewriter, GenericOp op) {
  if ((!op.getGaussian() && !op.getShifts()) || hasProjections(op))
    return false;
  auto attention = cast<AttentionOpInterface>(op.getOperation());
  Terms terms = findTerms(op);
  SmallVector<double> factors;
  for (double variance : terms.variances)
    factors.push_back(1 / variance);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Value ofQuery, ofKey;
  if (terms.ofQueries)
    ofQuery = RowTermOp::create(
        rewriter, op.getLoc(), op.getQuery(), op.getShifts(), op.getQueryTerm(),
        Value(), factors, /*ofKeys=*/false, terms.hasQuerySquare);
  if (terms.ofKeys)
    ofKey = RowTermOp::create(
        rewriter, op.getLoc(), op.getKey(), op.getShifts(), op.getKeyTerm(),
        terms.takesPrior ? op.getPrior() : Value(), factors,
        /*ofKeys=*/true, /*hasSquare=*/true);
  APFloat scale(attention.getScaleOrDefault());
  rewriter.modifyOpInPlace(op, [&] {
    if (ofQuery)
      op.getQueryTermMutable().assign(ofQuery);
    if (ofKey)
      op.getKeyTermMutable().assign(ofKey);
    if (terms.takesPrior)
      op.getPriorMutable().clear();
    op.getShiftsMutable().clear();
    op.setGaussian(false);
    op.setScale(scale);
    op.setVariances(terms.variances);
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
