// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared values: mix what heads pool instead of their weights.

#include "passes/body/ScoreBody.h"
#include "passes/normalize/LinalgEmitter.h"
#include "passes/normalize/algebra/Algebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits the attention without a mixer of weights, and the mixer of its
/// outputs.
class OutputMixer : public LinalgEmitter {
public:
  OutputMixer(GenericOp op, PatternRewriter &rewriter)
      : LinalgEmitter(rewriter, op.getLoc()), op(op),
        attention(cast<AttentionOpInterface>(op.getOperation())),
        groups(attention.getValueType().getDimSize(1)),
        features(attention.getValueType().getDimSize(3)) {}

  /// The values that replace the op's results.
  SmallVector<Value> emit() {
    GenericOp pooled = emitPooled();
    Value mixed = rounded(emitMixed(pooled.getResult()),
                          getElementTypeOrSelf(op.getResult()));
    SmallVector<Value> results = {mixed};
    if (op.getLse())
      results.push_back(pooled.getLse());
    return castTo(op->getResults(), results);
  }

private:
  /// wide[b,0,j,(g,e)] = value[b,g,j,e]: all heads' values as features of one.
  Value emitWideValue() {
    Value value = op.getValue();
    if (groups == 1)
      return value;
    SmallVector<OpFoldResult> sizes = {
        sizeOf(value, 0), rewriter.getIndexAttr(1), sizeOf(value, 2),
        rewriter.getIndexAttr(groups), rewriter.getIndexAttr(features)};
    Value apart = generic(
        value, map(5, {dim(0), dim(3), dim(2), dim(4)}),
        tensorOf(sizes, getElementTypeOrSelf(value), std::nullopt), identity(5),
        [](OpBuilder &, Location, ValueRange args) { return args[0]; });
    return tensor::CollapseShapeOp::create(
        rewriter, loc, apart,
        ArrayRef<ReassociationIndices>{{0}, {1}, {2}, {3, 4}});
  }

  /// The op without its mixer, its result in f32.
  GenericOp emitPooled() {
    Value wide = emitWideValue();
    auto pooled = cast<GenericOp>(rewriter.clone(*op));
    auto type = cast<RankedTensorType>(op.getResult().getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[3] = groups * features;
    rewriter.modifyOpInPlace(pooled, [&] {
      pooled.getValueMutable().assign(wide);
      pooled.getMixerMutable().clear();
      pooled.getMixSourceMutable().clear();
      pooled.getMixWeightMutable().clear();
      pooled.getMixBiasMutable().clear();
      pooled.getResult().setType(RankedTensorType::get(shape, f32));
    });
    return pooled;
  }

  /// mixed[b,a,i,e] = sum_c mixer[c,a] pooled[b,c,i,(g,e)], g the values that
  /// head a reads, with loops b, a, i, e, c.
  Value emitMixed(Value pooled) {
    AffineExpr b = dim(0), a = dim(1), i = dim(2), e = dim(3), c = dim(4);
    Value mixer = op.getMixer();
    AffineMap mixerMap = map(5, {c, a});
    if (op.getMixSource()) {
      mixer = rowMixer(op.getMixSource(), op.getMixWeight(), op.getMixBias());
      mixerMap = map(5, {b, i, c, a});
    }
    AffineExpr feature = e;
    if (groups > 1)
      feature = a.floorDiv(attention.getValueGroup()) * features + e;
    AffineMap pooledMap = map(5, {b, c, i, feature});
    SmallVector<OpFoldResult> sizes = {
        sizeOf(pooled, 0), rewriter.getIndexAttr(attention.getNumHeads()),
        sizeOf(pooled, 2), rewriter.getIndexAttr(features)};
    return generic({mixer, pooled}, {mixerMap, pooledMap},
                   tensorOf(sizes, f32, 0.0), map(5, {b, a, i, e}),
                   [](OpBuilder &b, Location loc, ValueRange args) -> Value {
                     Value weight = toF32(b, loc, args[0]);
                     Value term =
                         arith::MulFOp::create(b, loc, weight, args[1]);
                     return arith::AddFOp::create(b, loc, args[2], term);
                   });
  }

  GenericOp op;
  AttentionOpInterface attention;
  /// Heads of the values, and features of each.
  int64_t groups, features;
};

/// postmix(m) pool(v)  ->  pool(v), then mixed outputs
///
/// sum_j (sum_c m[c,a] P_c[j]) v[j] = sum_c m[c,a] sum_j P_c[j] v[j], whether m
/// is one or one per row. Every head pools all values: where there are several
/// heads of them, those become features of one. Keys that no query sees weigh
/// zero in every P_c. A value that is not finite and that is seen may reach
/// rows whose mixed weight is zero; the ops say that it may.
struct MixOutputs : OpRewritePattern<GenericOp> {
  /// `always`, or only where there is less to do than before.
  MixOutputs(MLIRContext *context, bool always)
      : OpRewritePattern(context), always(always) {}

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    auto attention = cast<AttentionOpInterface>(op.getOperation());
    if (!attention.hasPostmix())
      return rewriter.notifyMatchFailure(op, "no mixer of weights");
    auto refuse = [&](StringRef why) {
      return always
                 ? decline(rewriter, op, "ConcatenateValues", why, "attn-fold")
                 : decline(rewriter, op, "MixOutputs", why);
    };
    if (op.getWeights())
      return refuse("the mixed weights are asked for");
    if (!always) {
      int64_t groups = attention.getValueType().getDimSize(1);
      if (groups > 1 && attention.getValueGroup() == 1)
        return refuse("values differ from head to head");
      if (groups > 1 && !isCheaper(attention))
        return refuse("each head would pool too many values");
    }
    if (always)
      noteApplied(op, "ConcatenateValues", "attn-fold");
    else
      noteApplied(op, "MixOutputs");
    rewriter.replaceOp(op, OutputMixer(op, rewriter).emit());
    return success();
  }

private:
  /// Multiply-adds per head and pair of a query and a key: what all heads'
  /// values take, against mixing, one head's values, and the product that two
  /// passes over the keys compute again.
  static bool isCheaper(AttentionOpInterface op) {
    RankedTensorType value = op.getValueType();
    int64_t product = op.getQuery() ? op.getQueryType().getDimSize(3) : 0;
    return value.getDimSize(1) * value.getDimSize(3) <=
           op.getNumHeads() + value.getDimSize(3) + product;
  }

  bool always;
};

} // namespace

void mixattn::populateMixOutputs(RewritePatternSet &patterns) {
  patterns.add<MixOutputs>(patterns.getContext(), /*always=*/false);
}

void mixattn::populateConcatenateValues(RewritePatternSet &patterns) {
  patterns.add<MixOutputs>(patterns.getContext(), /*always=*/true);
}
