// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How each named op is said in the normal form.

#include "dialect/attn/AttnOps.h"

using namespace mlir;
using namespace mixattn;

/// Every clause that a named op has is a clause of the normal form, so one
/// rewrite serves all ops that add nothing beyond AttentionOpInterface. The
/// scale becomes explicit.
static void generalizeByClause(AttentionOpInterface op,
                               RewriterBase &rewriter) {
  auto generic = GenericOp::create(
      rewriter, op->getLoc(), op->getResult(0).getType(), op.getQuery(),
      op.getKey(), op.getValue(), op.getMixer(), op.getMixSource(),
      op.getMixWeight(), op.getMixBias(),
      rewriter.getF64FloatAttr(op.getScaleOrDefault()), op.getBias(),
      op.getMask(), op.getLengths(), op.getCausal(),
      op.getBand().value_or(BandAttr()));
  generic->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(op.getScoreMod(), generic.getScoreMod(),
                              generic.getScoreMod().end());
  rewriter.replaceOp(op, generic);
}

void SoftmaxOp::generalize(RewriterBase &rewriter) {
  generalizeByClause(cast<AttentionOpInterface>(getOperation()), rewriter);
}

void MixHeadsOp::generalize(RewriterBase &rewriter) {
  generalizeByClause(cast<AttentionOpInterface>(getOperation()), rewriter);
}
