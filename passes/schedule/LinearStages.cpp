// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// States of linear attentions, and what queries read of them, as stages.

#include "passes/schedule/LinearStages.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

void mixattn::makeLinearStages(RewriterBase &rewriter, LinearGenericOp op,
                               int64_t block, int64_t lanes) {
  assert(!op.getCausal() && "states are those after all keys");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  LinearAttentionOpInterface linear = op;
  int64_t batch = linear.getKeyType().getDimSize(0);
  auto rows = int64_t(llvm::alignTo(linear.getNumFeatures(), lanes));
  auto columns =
      int64_t(llvm::alignTo(linear.getValueType().getDimSize(3), lanes));
  auto typesOf = [&](int64_t heads) -> SmallVector<Type> {
    Type f32 = rewriter.getF32Type();
    return {RankedTensorType::get({batch, heads * rows, columns}, f32),
            RankedTensorType::get({batch, heads * rows}, f32)};
  };
  int64_t heads = linear.getNumKeyHeads();
  SmallVector<Type> types = typesOf(heads);
  auto state = LinearStateOp::create(
      rewriter, op.getLoc(), types[0], types[1],
      RankedTensorType::get({batch}, rewriter.getI32Type()), op.getKey(),
      op.getValue(), op.getShifts(), op.getPrior(), op.getFeatureMapAttr(),
      op.getProjection(), op.getLengths(), block);
  Value states = state.getStates(), totals = state.getTotals();
  if (op.getW1()) {
    heads = linear.getNumHeads();
    types = typesOf(heads);
    auto mixed = LinearMixStatesOp::create(
        rewriter, op.getLoc(), types[0], types[1], states, totals, op.getW1(),
        op.getB1(), op.getW2(), op.getB2(), op.getNormaliser());
    states = mixed.getMixed();
    totals = mixed.getMixedTotals();
  }
  rewriter.replaceOpWithNewOp<LinearReadOp>(
      op, op.getResult().getType(), op.getQuery(), states, totals,
      state.getCounts(), op.getPremixer(), op.getFeatureMapAttr(),
      op.getProjection(), heads, block, op.getEps(), op.getOutputScale());
}
