// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// States of linear attentions, and what queries read of them, as stages.

#include "passes/schedule/LinearStages.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Makes stages of `op`, whose states have rows and columns of `lanes`.
class LinearStages {
public:
  LinearStages(RewriterBase &rewriter, LinearGenericOp op, int64_t block,
               int64_t lanes, int64_t span)
      : rewriter(rewriter), op(op), block(block), lanes(lanes), span(span) {}

  LinearStateOp makeState();
  /// Sums of the states of spans: of all, or of those `isBefore` each.
  LinearAddStatesOp addStates(LinearStateOp state, bool isBefore);
  /// The types of the states and totals of `heads` heads, of `outer` sizes.
  SmallVector<Type> typesOf(ArrayRef<int64_t> outer, int64_t heads);
  int64_t batch() { return linear().getKeyType().getDimSize(0); }
  /// Whether heads mix totals, by weights of any sign.
  bool hasSignedTotals() { return linear().hasPremix(); }

private:
  LinearAttentionOpInterface linear() { return op; }
  SmallVector<int64_t> outerOf(bool hasSpans);

  RewriterBase &rewriter;
  LinearGenericOp op;
  int64_t block, lanes, span;
};

} // namespace

SmallVector<Type> LinearStages::typesOf(ArrayRef<int64_t> outer,
                                        int64_t heads) {
  Type f32 = rewriter.getF32Type();
  SmallVector<int64_t> shape(outer);
  shape.push_back(heads *
                  int64_t(llvm::alignTo(linear().getNumFeatures(), lanes)));
  Type totals = RankedTensorType::get(shape, f32);
  shape.push_back(
      int64_t(llvm::alignTo(linear().getValueType().getDimSize(3), lanes)));
  return {RankedTensorType::get(shape, f32), totals};
}

SmallVector<int64_t> LinearStages::outerOf(bool hasSpans) {
  if (!hasSpans)
    return {batch()};
  int64_t keys = linear().getKeysDim().size();
  if (ShapedType::isDynamic(keys))
    return {batch(), keys};
  return {batch(), std::max<int64_t>(int64_t(llvm::divideCeil(keys, span)), 1)};
}

LinearStateOp LinearStages::makeState() {
  SmallVector<Type> types =
      typesOf(outerOf(span != 0), linear().getNumKeyHeads());
  return LinearStateOp::create(
      rewriter, op.getLoc(), types[0], types[1],
      RankedTensorType::get({batch()}, rewriter.getI32Type()), op.getKey(),
      op.getValue(), op.getShifts(), op.getPrior(), op.getFeatureMapAttr(),
      op.getProjection(), op.getLengths(), rewriter.getI64IntegerAttr(block),
      span ? rewriter.getI64IntegerAttr(span) : IntegerAttr(),
      hasSignedTotals() ? rewriter.getUnitAttr() : UnitAttr());
}

LinearAddStatesOp LinearStages::addStates(LinearStateOp state, bool isBefore) {
  SmallVector<Type> types =
      typesOf(outerOf(isBefore), linear().getNumKeyHeads());
  return LinearAddStatesOp::create(rewriter, op.getLoc(), types[0], types[1],
                                   state.getStates(), state.getTotals(),
                                   isBefore);
}

void mixattn::makeLinearStages(RewriterBase &rewriter, LinearGenericOp op,
                               int64_t block, int64_t lanes, int64_t span) {
  assert(!op.getCausal() && "states are those after all keys");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  LinearStages stages(rewriter, op, block, lanes, span);
  LinearAttentionOpInterface linear = op;
  int64_t heads = linear.getNumKeyHeads();
  LinearStateOp state = stages.makeState();
  Value states = state.getStates(), totals = state.getTotals();
  if (span) {
    LinearAddStatesOp all = stages.addStates(state, /*isBefore=*/false);
    states = all.getSums();
    totals = all.getSumTotals();
  }
  if (op.getW1()) {
    heads = linear.getNumHeads();
    SmallVector<Type> types = stages.typesOf(stages.batch(), heads);
    auto mixed = LinearMixStatesOp::create(
        rewriter, op.getLoc(), types[0], types[1], states, totals, op.getW1(),
        op.getB1(), op.getW2(), op.getB2(), op.getNormaliser());
    states = mixed.getMixed();
    totals = mixed.getMixedTotals();
  }
  rewriter.replaceOpWithNewOp<LinearReadOp>(
      op, op.getResult().getType(), op.getQuery(), states, totals,
      state.getCounts(), op.getPremixer(), op.getFeatureMapAttr(),
      op.getProjection(), heads, block, stages.hasSignedTotals(), op.getEps(),
      op.getOutputScale());
}

void mixattn::makeCausalSpans(RewriterBase &rewriter, LinearGenericOp op,
                              int64_t block, int64_t lanes, int64_t span) {
  assert(op.getCausal() && !op.getPremixer() && !op.getW1() &&
         "states are those before each key");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  LinearStages stages(rewriter, op, block, lanes, span);
  LinearAddStatesOp before =
      stages.addStates(stages.makeState(), /*isBefore=*/true);
  rewriter.replaceOpWithNewOp<LinearCausalReadOp>(
      op, op.getResult().getType(), op.getQuery(), op.getKey(), op.getValue(),
      before.getSums(), before.getSumTotals(), op.getShifts(), op.getPrior(),
      op.getFeatureMapAttr(), op.getProjection(), op.getLengths(),
      uint64_t(span), op.getEps(), op.getOutputScale());
}
