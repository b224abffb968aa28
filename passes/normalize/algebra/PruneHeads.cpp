// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zero rows of a mixer of scores: heads that nothing reads.

#include "passes/normalize/algebra/Algebra.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// premix(rows of which some are zero)  ->  premix(the other rows), with the
/// query and key heads or given scores, priors, terms and noise of those rows
/// only
///
/// Zero times infinity is NaN, so the op must promise that its operands are
/// finite.
struct PruneHeads : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    auto attention = cast<AttentionOpInterface>(op.getOperation());
    auto rows = getConstantRows(op.getPremixer());
    if (!rows)
      return rewriter.notifyMatchFailure(op, "no constant mixer of scores");
    SmallVector<int64_t> kept;
    for (auto [head, row] : llvm::enumerate(*rows))
      if (!llvm::all_of(row, [](double weight) { return weight == 0.0; }))
        kept.push_back(head);
    if (kept.size() == rows->size())
      return rewriter.notifyMatchFailure(op, "no row of the mixer is zero");
    if (kept.empty())
      return decline(rewriter, op, "PruneHeads", "no head would be left");
    if (!op.getFinite())
      return decline(rewriter, op, "PruneHeads",
                     "operands are not promised to be finite");
    bool ownKeys = op.getKey() && attention.getKeyType().getDimSize(1) != 1;
    if (ownKeys && attention.getKeyGroup() != 1)
      return decline(rewriter, op, "PruneHeads",
                     "query heads share key heads in groups");
    bool isGlobal = op.getNoiseKind() == NoiseKind::Global;
    if (isGlobal && op.getSeed())
      return decline(rewriter, op, "PruneHeads",
                     "noise depends on the numbers of the heads");

    Location loc = op.getLoc();
    auto keep = [&](MutableOperandRange operand, int64_t dim) {
      if (!operand.empty())
        operand.assign(gather(rewriter, loc, operand[0].get(), dim, kept));
    };
    rewriter.modifyOpInPlace(op, [&] {
      keep(op.getQueryMutable(), 1);
      keep(op.getGivenScoresMutable(), 1);
      if (ownKeys) {
        keep(op.getKeyMutable(), 1);
        keep(op.getShiftsMutable(), 0);
        keep(op.getKeyTermMutable(), 1);
      }
      keep(op.getPriorMutable(), 0);
      keep(op.getQueryTermMutable(), 1);
      keep(op.getPremixerMutable(), 0);
      keep(op.getSigmaMutable(), 0);
      if (isGlobal)
        keep(op.getNoiseMutable(), 1);
    });
    noteApplied(op, "PruneHeads");
    return success();
  }
};

} // namespace

void mixattn::populatePruneHeads(RewritePatternSet &patterns) {
  patterns.add<PruneHeads>(patterns.getContext());
}
