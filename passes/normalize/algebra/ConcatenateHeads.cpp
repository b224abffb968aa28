// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A linear mixer of scores as one long product.

#include "passes/body/ScoreBody.h"
#include "passes/normalize/LinalgEmitter.h"
#include "passes/normalize/algebra/Algebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

/// Why the scores of `op` are more than a linear mixer of products, or an empty
/// text.
static StringRef whyNoProduct(GenericOp op) {
  auto attention = cast<AttentionOpInterface>(op.getOperation());
  if (op.getGivenScores())
    return "scores are given";
  if (op.getGaussian())
    return "a Gaussian is no product";
  if (attention.hasComponents())
    return "components combine before the mixer";
  if (op.getQueryTerm() || op.getKeyTerm())
    return "there are terms per query or key";
  if (op.getReluPerKey())
    return "terms of the mixer pass through a ReLU";
  if (op.getNoiseKind())
    return "scores have noise";
  if (attention.getKeyGroup() != 1)
    return "query heads share key heads in groups";
  return {};
}

namespace {

/// Emits query and key whose product is the mixed score.
class LongProduct : public LinalgEmitter {
public:
  LongProduct(GenericOp op, PatternRewriter &rewriter)
      : LinalgEmitter(rewriter, op.getLoc()), op(op),
        attention(cast<AttentionOpInterface>(op.getOperation())),
        global(rewriter.getIndexAttr(attention.getNumQueryHeads())),
        features(
            rewriter.getIndexAttr(attention.getQueryType().getDimSize(3))) {}

  /// query[b,a,i,(k,d)] = mixer[k,a] query[b,k,i,d], with loops b, a, i, k, d.
  Value emitQuery() {
    Value query = op.getQuery(), mixer = op.getPremixer();
    bool isShared = cast<RankedTensorType>(mixer.getType()).getRank() == 1;
    SmallVector<OpFoldResult> sizes = {
        sizeOf(query, 0), rewriter.getIndexAttr(attention.getNumHeads()),
        sizeOf(query, 2), global, features};
    return joined({mixer, query},
                  {isShared ? map(5, {dim(3)}) : map(5, {dim(3), dim(1)}),
                   map(5, {dim(0), dim(3), dim(2), dim(4)})},
                  sizes,
                  [](OpBuilder &b, Location loc, ValueRange args) -> Value {
                    return arith::MulFOp::create(b, loc, toF32(b, loc, args[0]),
                                                 toF32(b, loc, args[1]));
                  });
  }

  /// key[b,0,j,(k,d)] = key[b,k,j,d], with loops b, 0, j, k, d.
  Value emitKey() {
    Value key = op.getKey();
    SmallVector<OpFoldResult> sizes = {sizeOf(key, 0), rewriter.getIndexAttr(1),
                                       sizeOf(key, 2), global, features};
    return joined({key}, {map(5, {dim(0), dim(3), dim(2), dim(4)})}, sizes,
                  [](OpBuilder &b, Location loc, ValueRange args) {
                    return toF32(b, loc, args[0]);
                  });
  }

private:
  /// A tensor of `sizes` whose last two dimensions become one.
  Value joined(ValueRange inputs, ArrayRef<AffineMap> maps,
               ArrayRef<OpFoldResult> sizes, Body body) {
    Value apart = generic(inputs, maps, tensorOf(sizes, f32, std::nullopt),
                          identity(5), body);
    return tensor::CollapseShapeOp::create(
        rewriter, loc, apart,
        ArrayRef<ReassociationIndices>{{0}, {1}, {2}, {3, 4}});
  }

  GenericOp op;
  AttentionOpInterface attention;
  OpFoldResult global, features;
};

/// scores(q, k) premix(m)  ->  scores(q', k'), q' all heads' queries weighed by
/// the mixer, side by side, and k' all heads' keys
///
/// sum_k m[k,a] (q_k . k_k) = <concat_k m[k,a] q_k, concat_k k_k>. Weighed
/// queries are f32, and keys agree with them.
struct ConcatenateHeads : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getPremixer())
      return rewriter.notifyMatchFailure(op, "no linear mixer of scores");
    StringRef why = whyNoProduct(op);
    if (!why.empty())
      return decline(rewriter, op, "ConcatenateHeads", why, "attn-fold");

    APFloat scale(
        cast<AttentionOpInterface>(op.getOperation()).getScaleOrDefault());
    LongProduct product(op, rewriter);
    Value query = product.emitQuery(), key = product.emitKey();
    rewriter.modifyOpInPlace(op, [&] {
      op.getQueryMutable().assign(query);
      op.getKeyMutable().assign(key);
      op.getPremixerMutable().clear();
      op.setScale(scale);
      op.setScaleBefore(false);
    });
    noteApplied(op, "ConcatenateHeads", "attn-fold");
    return success();
  }
};

} // namespace

void mixattn::populateConcatenateHeads(RewritePatternSet &patterns) {
  patterns.add<ConcatenateHeads>(patterns.getContext());
}
