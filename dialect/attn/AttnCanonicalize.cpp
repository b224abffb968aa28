// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Canonical forms: mixers that do nothing, or depend on less than they could.

#include "dialect/attn/CopyClauses.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mixattn;

/// Whether `value` is a constant all of whose elements are zero.
static bool isZero(Value value) {
  DenseElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) &&
         llvm::all_of(constant.getValues<APFloat>(),
                      [](const APFloat &x) { return x.isZero(); });
}

/// Whether `value` is a constant square matrix with ones on its diagonal and
/// zeros elsewhere; for one head that is the mixer [[1]].
static bool isIdentity(Value value) {
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return false;
  int64_t size = constant.getType().getDimSize(0);
  return constant.getType().getDimSize(1) == size &&
         llvm::all_of(
             llvm::enumerate(constant.getValues<APFloat>()), [&](auto element) {
               bool diagonal =
                   static_cast<int64_t>(element.index()) % (size + 1) == 0;
               return diagonal ? element.value().isExactlyValue(1.0)
                               : element.value().isZero();
             });
}

namespace {

/// postmix_by_row(source, 0, bias)  ->  postmix(bias)
///
/// The ops say that they do not look at a source whose weights are constant
/// zero.
template <typename Op> struct DropZeroRowMixer : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getMixSource())
      return rewriter.notifyMatchFailure(op, "the mixer is not per row");
    if (!isZero(op.getMixWeight()))
      return rewriter.notifyMatchFailure(op, "the weights are not known zero");
    Value mixer = op.getMixBias();
    rewriter.modifyOpInPlace(op, [&] {
      op.getMixSourceMutable().clear();
      op.getMixWeightMutable().clear();
      op.getMixBiasMutable().clear();
      op.getMixerMutable().assign(mixer);
    });
    return success();
  }
};

/// generic … postmix(identity)  ->  generic …
struct DropIdentityPostmix : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getMixer() || !isIdentity(op.getMixer()))
      return rewriter.notifyMatchFailure(op, "no mixer known as the identity");
    rewriter.modifyOpInPlace(op, [&] { op.getMixerMutable().clear(); });
    return success();
  }
};

/// mix_heads … mixer(identity)  ->  softmax …
struct MixHeadsOfIdentityToSoftmax : OpRewritePattern<MixHeadsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MixHeadsOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getMixer() || !isIdentity(op.getMixer()))
      return rewriter.notifyMatchFailure(op, "no mixer known as the identity");
    auto softmax = createWithClauses<SoftmaxOp>(
        rewriter, cast<AttentionOpInterface>(op.getOperation()),
        /*without=*/{"mixer"});
    rewriter.replaceOp(op, softmax);
    return success();
  }
};

/// linear_generic … premix(identity)  ->  linear_generic …
struct DropIdentityPremix : OpRewritePattern<LinearGenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinearGenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getPremixer() || !isIdentity(op.getPremixer()))
      return rewriter.notifyMatchFailure(op, "no mixer known as the identity");
    rewriter.modifyOpInPlace(op, [&] { op.getPremixerMutable().clear(); });
    return success();
  }
};

/// linear_admixture_heads … mixer(identity)  ->  linear …
struct AdmixtureOfIdentityToLinear : OpRewritePattern<LinearAdmixtureHeadsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinearAdmixtureHeadsOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getPremixer() || !isIdentity(op.getPremixer()))
      return rewriter.notifyMatchFailure(op, "no mixer known as the identity");
    auto linear = LinearOp::create(
        rewriter, op.getLoc(), op.getResult().getType(), op.getQuery(),
        op.getKey(), op.getValue(), op.getFeatureMap(), op.getProjection(),
        op.getLengths(), op.getCausal(), op.getEps(), op.getOutputScale());
    linear->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, linear);
    return success();
  }
};

} // namespace

void MixHeadsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<DropZeroRowMixer<MixHeadsOp>, MixHeadsOfIdentityToSoftmax>(
      context);
}

void GenericOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<DropIdentityPostmix, DropZeroRowMixer<GenericOp>>(context);
}

void LinearAdmixtureHeadsOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<AdmixtureOfIdentityToLinear>(context);
}

void LinearGenericOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<DropIdentityPremix>(context);
}
