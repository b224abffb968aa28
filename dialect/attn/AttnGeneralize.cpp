// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How each named op is said in the normal form.

#include "dialect/attn/CopyClauses.h"

using namespace mlir;
using namespace mixattn;

/// Every clause that a named op has is a clause of the normal form, so one
/// rewrite serves all ops. Variances and scale become explicit.
static void generalizeByClause(AttentionOpInterface op,
                               RewriterBase &rewriter) {
  SmallVector<double> variances;
  if (op.getGaussian() || op.hasComponents())
    for (int64_t r = 0; r < op.getNumComponents(); ++r)
      variances.push_back(op.getVariance(r));
  bool isGaussian = op.getGaussian();
  // Variances divide: no scale besides, unless one is given.
  bool isDivided = !op.getScale() && !variances.empty();
  double scale = isDivided ? 1.0 : op.getScaleOrDefault();

  auto generic = createWithClauses<GenericOp>(rewriter, op);
  if (!variances.empty())
    generic.setVariances(variances);
  generic.setGaussian(isGaussian);
  generic.setScale(APFloat(scale));
  rewriter.replaceOp(op, generic);
}

void SoftmaxOp::generalize(RewriterBase &rewriter) {
  generalizeByClause(cast<AttentionOpInterface>(getOperation()), rewriter);
}

void MixtureOfKeysOp::generalize(RewriterBase &rewriter) {
  generalizeByClause(cast<AttentionOpInterface>(getOperation()), rewriter);
}

void AdmixtureHeadsOp::generalize(RewriterBase &rewriter) {
  generalizeByClause(cast<AttentionOpInterface>(getOperation()), rewriter);
}

void MixHeadsOp::generalize(RewriterBase &rewriter) {
  generalizeByClause(cast<AttentionOpInterface>(getOperation()), rewriter);
}

void mixattn::generalizeAll(Operation *root) {
  SmallVector<GeneralizableOpInterface> named;
  root->walk([&](GeneralizableOpInterface op) { named.push_back(op); });
  IRRewriter rewriter(root->getContext());
  for (GeneralizableOpInterface op : named) {
    rewriter.setInsertionPoint(op);
    op.generalize(rewriter);
  }
}
