// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A prior is a part of the term per key.

#include "passes/body/ScoreBody.h"
#include "passes/normalize/LinalgEmitter.h"
#include "passes/normalize/algebra/Algebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits prior + key_term.
class TermEmitter : public LinalgEmitter {
public:
  TermEmitter(GenericOp op, PatternRewriter &rewriter)
      : LinalgEmitter(rewriter, op.getLoc()), op(op),
        attention(cast<AttentionOpInterface>(op.getOperation())) {}

  /// term[b,h,r,j] = prior[h,r,(j)] + key_term[b,h,(r),j].
  Value emit() {
    AffineExpr b = dim(0), h = dim(1), r = dim(2), j = dim(3);
    SmallVector<Value> inputs = {op.getPrior()};
    SmallVector<AffineMap> maps = {
        rankOf(op.getPrior()) == 3 ? map(4, {h, r, j}) : map(4, {h, r})};
    if (Value term = op.getKeyTerm()) {
      inputs.push_back(term);
      maps.push_back(rankOf(term) == 4 ? identity(4) : map(4, {b, h, j}));
    }
    SmallVector<OpFoldResult> sizes = {
        sizeOf(attention.getBatchDim()),
        rewriter.getIndexAttr(attention.getNumQueryHeads()),
        rewriter.getIndexAttr(attention.getNumComponents()),
        sizeOf(attention.getKeysDim())};
    return generic(
        inputs, maps, tensorOf(sizes, f32, std::nullopt), identity(4),
        [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
          Value sum = toF32(b, loc, args[0]);
          if (op.getKeyTerm())
            sum = arith::AddFOp::create(b, loc, sum, toF32(b, loc, args[1]));
          return sum;
        });
  }

private:
  static int64_t rankOf(Value value) {
    return cast<RankedTensorType>(value.getType()).getRank();
  }

  GenericOp op;
  AttentionOpInterface attention;
};

/// key_term(t) prior(p)  ->  key_term(t + p)
///
/// A prior belongs to a query head, a term per key to a key head: each key head
/// must serve one query head.
struct FoldPrior : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getPrior())
      return rewriter.notifyMatchFailure(op, "no prior");
    if (cast<AttentionOpInterface>(op.getOperation()).getKeyGroup() != 1)
      return decline(rewriter, op, "FoldPrior",
                     "query heads share key heads in groups");
    Value term = TermEmitter(op, rewriter).emit();
    rewriter.modifyOpInPlace(op, [&] {
      op.getKeyTermMutable().assign(term);
      op.getPriorMutable().clear();
    });
    noteApplied(op, "FoldPrior");
    return success();
  }
};

} // namespace

void mixattn::populateFoldPrior(RewritePatternSet &patterns) {
  patterns.add<FoldPrior>(patterns.getContext());
}
