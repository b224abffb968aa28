// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear attention over components: their features are mixed before the state.

#include "passes/normalize/Features.h"
#include "passes/normalize/algebra/Algebra.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// linear_generic features(q, keys) feature_map prior(p) pool(v)
///   ->  linear_generic features(phi(q), sum_r p_r phi(k_r)) pool(v)
///
/// sum_j sum_r p_rj phi(k_rj) v_j^T = sum_j (sum_r p_rj phi(k_rj)) v_j^T: one
/// product with the values instead of one per component. Features are operands
/// from then on, which CSE shares among ops.
struct MixFeatures : OpRewritePattern<LinearGenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinearGenericOp op,
                                PatternRewriter &rewriter) const override {
    LinearAttentionOpInterface linear = op;
    if (!linear.hasComponents())
      return rewriter.notifyMatchFailure(op, "no components");
    // Of S F products each: R E in the state, or R in the mixture and E.
    int64_t separate =
        linear.getNumComponents() * linear.getValueType().getDimSize(3);
    int64_t mixed =
        linear.getNumComponents() + linear.getValueType().getDimSize(3);
    if (separate <= mixed)
      return decline(rewriter, op, "MixFeatures",
                     "mixing the features first saves no products");

    FeatureEmitter emitter(linear, rewriter);
    Value key = emitter.emitMixedFeatures(emitter.emitKeyFeatures());
    Value query = emitter.emitQueryFeatures();
    rewriter.modifyOpInPlace(op, [&] {
      op.getQueryMutable().assign(query);
      op.getKeyMutable().assign(key);
      op.getShiftsMutable().clear();
      op.getPriorMutable().clear();
      op.getProjectionMutable().clear();
      op.removeFeatureMapAttr();
    });
    noteApplied(op, "MixFeatures");
    return success();
  }
};

} // namespace

void mixattn::populateMixFeatures(RewritePatternSet &patterns) {
  patterns.add<MixFeatures>(patterns.getContext());
}
