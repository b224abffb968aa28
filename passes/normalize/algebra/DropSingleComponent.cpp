// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One component: the plain form.

#include "passes/normalize/algebra/Algebra.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// scores(q, keys [B,Hk,1,S,D])  ->  scores(q, k [B,Hk,S,D])
///
/// logsumexp and maximum of one component are the component. A finite prior of
/// it is a constant of every row, which the softmax does not see.
struct DropSingleComponent : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    auto attention = cast<AttentionOpInterface>(op.getOperation());
    if (!op.getKey() || attention.getKeyType().getRank() != 5 ||
        attention.getNumComponents() != 1)
      return rewriter.notifyMatchFailure(op, "not keys of one component");
    if (op.getQueryTerm() || op.getKeyTerm())
      return decline(rewriter, op, "DropSingleComponent",
                     "there are terms per query or key already");
    if (Value prior = op.getPrior()) {
      if (cast<RankedTensorType>(prior.getType()).getRank() == 3)
        return decline(rewriter, op, "DropSingleComponent",
                       "the prior differs from key to key");
      if (!op.getFinite())
        return decline(rewriter, op, "DropSingleComponent",
                       "the prior is not promised to be finite");
      if (!attention.isRowShiftInvariant())
        return decline(rewriter, op, "DropSingleComponent",
                       "something sees a constant added to a row of scores");
    }
    Value key = tensor::CollapseShapeOp::create(
        rewriter, op.getLoc(), op.getKey(),
        ArrayRef<ReassociationIndices>{{0}, {1, 2}, {3}, {4}});
    rewriter.modifyOpInPlace(op, [&] {
      op.getKeyMutable().assign(key);
      op.getPriorMutable().clear();
      op.setMaximum(false);
    });
    noteApplied(op, "DropSingleComponent");
    return success();
  }
};

} // namespace

void mixattn::populateDropSingleComponent(RewritePatternSet &patterns) {
  patterns.add<DropSingleComponent>(patterns.getContext());
}
