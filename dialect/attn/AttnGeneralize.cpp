// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How each named op is said in the normal form.

#include "dialect/attn/AttnOps.h"

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
  DenseF64ArrayAttr variancesAttr;
  if (!variances.empty())
    variancesAttr = rewriter.getDenseF64ArrayAttr(variances);
  NoiseKindAttr noiseAttr;
  if (std::optional<NoiseKind> kind = op.getNoiseKind())
    noiseAttr = NoiseKindAttr::get(rewriter.getContext(), *kind);
  // Variances divide: no scale besides, unless one is given.
  bool isDivided = !op.getScale() && !variances.empty();
  double scale = isDivided ? 1.0 : op.getScaleOrDefault();

  auto generic = GenericOp::create(
      rewriter, op->getLoc(), op.getResult().getType(),
      op.getWeights() ? op.getWeights().getType() : Type(),
      op.getLse() ? op.getLse().getType() : Type(), op.getQuery(), op.getKey(),
      op.getGivenScores(), op.getValue(), op.getKeyProjection(),
      op.getValueProjection(), op.getShifts(), op.getPrior(), variancesAttr,
      op.getMaximum(), op.getQueryTerm(), op.getKeyTerm(), op.getPremixer(),
      op.getW1(), op.getB1(), op.getW2(), op.getB2(), op.getReluPerKey(),
      noiseAttr, op.getSigma(), op.getNoise(), op.getSeed(), op.getOffset(),
      op.getMixer(), op.getMixSource(), op.getMixWeight(), op.getMixBias(),
      op.getGaussian(), rewriter.getF64FloatAttr(scale), op.getScaleBefore(),
      /*base2=*/false, /*finite=*/false, op.getBias(), op.getMask(),
      op.getLengths(), op.getCausal(), op.getBand().value_or(BandAttr()),
      op.getSigsoftmax(), op.getKeep().value_or(BandAttr()));
  generic->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(op.getScoreMod(), generic.getScoreMod(),
                              generic.getScoreMod().end());
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
