// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Components of keys as further keys of one softmax.

#include "passes/normalize/Decomposition.h"
#include "passes/normalize/algebra/Algebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

static int64_t rankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

/// Why the components of `op` are no keys of their own, or an empty text.
static StringRef whyNoKeys(GenericOp op) {
  auto attention = cast<AttentionOpInterface>(op.getOperation());
  if (op.getMaximum())
    return "components combine by their maximum";
  if (attention.hasPremix())
    return "combined scores are mixed over heads";
  if (attention.getScaleOrDefault() != 1.0)
    return "combined scores are scaled";
  if (op.getBias() || attention.hasScoreMod())
    return "combined scores are changed pointwise";
  if (op.getSigsoftmax())
    return "a sigmoid reads combined scores";
  if (op.getKeep())
    return "weights outside a band are dropped";
  if (op.getWeights())
    return "the weights are asked for";
  if (attention.getKeyType().getRank() == 4 && !op.getShifts())
    return "components share their keys";
  if (op.getQueryTerm() && rankOf(op.getQueryTerm()) == 4)
    return "terms per query differ from component to component";
  if (!getCommonVariance(op))
    return "variances differ";
  return {};
}

namespace {

/// Emits what component r holds of key j at key r S + j.
class KeyConcatenation : public ScoreDecomposition {
public:
  KeyConcatenation(GenericOp op, PatternRewriter &rewriter)
      : ScoreDecomposition(cast<ScoreOpInterface>(op.getOperation()), rewriter),
        op(op) {}

  /// keys[b,g,(r,j),d], shifts added.
  Value emitKeys() {
    Value key = op.getKey();
    if (rankOf(key) == 4) {
      AffineExpr g = dim(1), r = dim(2), d = dim(4);
      SmallVector<OpFoldResult> sizes = {sizeOf(key, 0), sizeOf(key, 1),
                                         components, keys, sizeOf(key, 3)};
      key =
          generic({key, op.getShifts()},
                  {map(5, {dim(0), g, dim(3), d}), map(5, {g, r, d})},
                  tensorOf(sizes, f32, std::nullopt), identity(5),
                  [](OpBuilder &b, Location loc, ValueRange args) -> Value {
                    return arith::AddFOp::create(b, loc, toF32(b, loc, args[0]),
                                                 toF32(b, loc, args[1]));
                  });
    }
    return joined(key, {{0}, {1}, {2, 3}, {4}});
  }

  /// The query; f32 where shifted keys are.
  Value emitQuery() {
    return op.getShifts() ? widened(op.getQuery()) : op.getQuery();
  }

  /// value[b,h,(r,j),e] = value[b,h,j,e].
  Value emitValue() {
    Value value = op.getValue();
    return repeated(value,
                    {sizeOf(value, 0), sizeOf(value, 1), components, keys,
                     sizeOf(value, 3)},
                    {dim(0), dim(1), dim(3), dim(4)}, {{0}, {1}, {2, 3}, {4}});
  }

  /// term[b,g,(r,j)], or null.
  Value emitKeyTerm() {
    Value term = op.getKeyTerm();
    if (!term)
      return {};
    if (rankOf(term) == 4)
      return joined(term, {{0}, {1}, {2, 3}});
    return repeated(term, {sizeOf(term, 0), sizeOf(term, 1), components, keys},
                    {dim(0), dim(1), dim(3)}, {{0}, {1}, {2, 3}});
  }

  /// bias[h,0,(r,j)] = prior[h,r,(j)], or null.
  Value emitBias() {
    Value prior = op.getPrior();
    if (!prior)
      return {};
    SmallVector<AffineExpr> place = {dim(0), dim(2)};
    if (rankOf(prior) == 3)
      place.push_back(dim(3));
    return repeated(prior,
                    {queryHeads, rewriter.getIndexAttr(1), components, keys},
                    place, {{0}, {1}, {2, 3}});
  }

  /// mask[b,h,i,(r,j)]: what mask, lengths, causal, band and start leave of key j, or
  /// null where they are absent. Batch and heads stay one where it is the same
  /// for all of them.
  Value emitMask() {
    Value mask = op.getMask(), lengths = op.getLengths();
    if (!mask && !lengths && !op.getCausal() && !op.getBand())
      return {};
    bool isByRow = lengths || op.getStart();
    auto differs = [&](unsigned dim) {
      auto type = mask ? cast<RankedTensorType>(mask.getType()) : nullptr;
      return type && type.getRank() >= 4 - dim &&
             type.getDimSize(dim - (4 - type.getRank())) != 1;
    };
    OpFoldResult one = rewriter.getIndexAttr(1);
    SmallVector<OpFoldResult> sizes = {isByRow || differs(0) ? batch : one,
                                       differs(1) ? queryHeads : one, queries,
                                       components, keys};
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    if (mask) {
      inputs.push_back(mask);
      maps.push_back(broadcastMap(cast<RankedTensorType>(mask.getType()))
                         .compose(map(5, {dim(0), dim(1), dim(2), dim(4)})));
    }
    if (lengths) {
      inputs.push_back(lengths);
      maps.push_back(map(5, {dim(0)}));
    }
    Value alignment = emitAlignment();
    Value apart = generic(
        inputs, maps, tensorOf(sizes, rewriter.getI1Type(), std::nullopt),
        identity(5), [&](OpBuilder &b, Location, ValueRange args) {
          return emitIsVisible(b, scored, mask ? args[0] : Value(),
                               lengths ? args[mask ? 1 : 0] : Value(),
                               placeOf(b, 2, 4, alignment));
        });
    return joined(apart, {{0}, {1}, {2}, {3, 4}});
  }

private:
  Value joined(Value apart, ArrayRef<ReassociationIndices> groups) {
    return tensor::CollapseShapeOp::create(rewriter, loc, apart, groups);
  }

  /// `tensor` at `place` for each element of `sizes`, whose `groups` of
  /// dimensions then become one.
  Value repeated(Value tensor, ArrayRef<OpFoldResult> sizes,
                 ArrayRef<AffineExpr> place,
                 ArrayRef<ReassociationIndices> groups) {
    Value init = tensorOf(sizes, getElementTypeOrSelf(tensor), std::nullopt);
    Value apart =
        generic(tensor, map(sizes.size(), place), init, identity(sizes.size()),
                [](OpBuilder &, Location, ValueRange args) { return args[0]; });
    return joined(apart, groups);
  }

  GenericOp op;
};

/// scores(q, keys of R components) prior(p)  ->  scores(q, R S keys) bias(p),
/// with mask and values repeated
///
/// sum_j exp(log sum_r exp(p_r + s_rj)) is one sum over all r and j (mixture of
/// Gaussian keys, section 2.1).
struct ConcatenateKeys : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!cast<AttentionOpInterface>(op.getOperation()).hasComponents())
      return rewriter.notifyMatchFailure(op, "no components");
    StringRef why = whyNoKeys(op);
    if (!why.empty())
      return decline(rewriter, op, "ConcatenateKeys", why, "attn-fold");

    std::optional<double> variance = getCommonVariance(op);
    KeyConcatenation all(op, rewriter);
    Value query = all.emitQuery(), keys = all.emitKeys();
    Value value = all.emitValue(), keyTerm = all.emitKeyTerm();
    Value bias = all.emitBias(), mask = all.emitMask();
    rewriter.modifyOpInPlace(op, [&] {
      op.getQueryMutable().assign(query);
      op.getKeyMutable().assign(keys);
      op.getValueMutable().assign(value);
      op.getShiftsMutable().clear();
      op.getPriorMutable().clear();
      op.getLengthsMutable().clear();
      op.setCausal(false);
      op.removeBandAttr();
      op.getStartMutable().clear();
      op.setScale(APFloat(1.0));
      if (op.getVariances())
        op.setVariances(ArrayRef<double>{*variance});
      assign(op.getKeyTermMutable(), keyTerm);
      assign(op.getBiasMutable(), bias);
      assign(op.getMaskMutable(), mask);
    });
    noteApplied(op, "ConcatenateKeys", "attn-fold");
    return success();
  }

private:
  static void assign(MutableOperandRange operand, Value value) {
    if (value)
      operand.assign(value);
  }
};

} // namespace

void mixattn::populateConcatenateKeys(RewritePatternSet &patterns) {
  patterns.add<ConcatenateKeys>(patterns.getContext());
}
