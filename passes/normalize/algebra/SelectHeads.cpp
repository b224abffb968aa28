// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mixers that pick one head for each output: the plain form.

#include "passes/normalize/algebra/Algebra.h"

using namespace mlir;
using namespace mixattn;

/// The row of the one 1 in each column of `rows`, or none if a column is not
/// zeros and one 1.
static std::optional<SmallVector<int64_t>>
getPickedRows(ArrayRef<SmallVector<double>> rows) {
  SmallVector<int64_t> picked;
  for (size_t column = 0; column < rows.front().size(); ++column) {
    std::optional<int64_t> row;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i][column] == 0.0)
        continue;
      if (rows[i][column] != 1.0 || row)
        return std::nullopt;
      row = i;
    }
    if (!row)
      return std::nullopt;
    picked.push_back(*row);
  }
  return picked;
}

namespace {

/// premix(one-hot)  ->  the picked heads of query and key, or of given scores,
/// without a premix
///
/// A mixer of weights that picks heads stays: its values do not follow.
struct SelectHeads : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    auto attention = cast<AttentionOpInterface>(op.getOperation());
    if (!op.getPremixer())
      return rewriter.notifyMatchFailure(op, "no linear mixer of scores");
    auto rows = getConstantRows(op.getPremixer());
    if (!rows)
      return decline(rewriter, op, "SelectHeads", "the mixer is not constant");
    std::optional<SmallVector<int64_t>> picked = getPickedRows(*rows);
    if (!picked)
      return decline(rewriter, op, "SelectHeads",
                     "the mixer does not pick one head for each output");
    if (op.getNoiseKind())
      return decline(rewriter, op, "SelectHeads", "scores have noise");
    if (op.getReluPerKey() || op.getShifts() || op.getQueryTerm() ||
        op.getKeyTerm() || op.getPrior())
      return decline(rewriter, op, "SelectHeads",
                     "heads have more than queries and keys");

    // One column serves all output heads alike.
    picked->resize(attention.getNumHeads(), picked->front());
    bool ownKeys = op.getKey() && attention.getKeyType().getDimSize(1) != 1;
    SmallVector<int64_t> keyHeads;
    for (int64_t head : *picked)
      keyHeads.push_back(ownKeys ? head / attention.getKeyGroup() : 0);
    auto pick = [&](MutableOperandRange operand, ArrayRef<int64_t> heads) {
      if (!operand.empty())
        operand.assign(gather(rewriter, op.getLoc(), operand[0].get(),
                              /*dim=*/1, heads));
    };
    rewriter.modifyOpInPlace(op, [&] {
      pick(op.getQueryMutable(), *picked);
      pick(op.getGivenScoresMutable(), *picked);
      if (ownKeys)
        pick(op.getKeyMutable(), keyHeads);
      op.getPremixerMutable().clear();
      op.setScaleBefore(false);
    });
    noteApplied(op, "SelectHeads");
    return success();
  }
};

} // namespace

void mixattn::populateSelectHeads(RewritePatternSet &patterns) {
  patterns.add<SelectHeads>(patterns.getContext());
}
