// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-expand-gaussian: Gaussians and shifts of any variances as products and
// terms.

#include "passes/Passes.h"
#include "passes/body/ScoreBody.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mixattn {
#define GEN_PASS_DEF_EXPANDGAUSSIANPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

/// scores(q, k) gaussian shifted_by(s) variances [v_r, …]
///   ->  scores(q, k) variances [v_r, …]
///       query_term((q . s_r - |q|^2 / 2) / v_r) key_term(-|k + s_r|^2 / (2
///       v_r))
///
/// Without `gaussian` the squares are left out. What schedules take: one
/// product per key that there is, and terms. Unlike the rules of attn-simplify
/// it drops nothing.
struct ExpandGaussian : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    auto attention = cast<AttentionOpInterface>(op.getOperation());
    if (!op.getGaussian() && !op.getShifts())
      return rewriter.notifyMatchFailure(op, "products and terms already");
    if (op.getKeyProjection())
      return rewriter.notifyMatchFailure(op, "keys are projected");
    SmallVector<double> variances;
    for (int64_t r = 0; r < attention.getNumComponents(); ++r)
      variances.push_back(op.getGaussian() || op.getVariances()
                              ? attention.getVariance(r)
                              : 1.0);
    APFloat scale(attention.getScaleOrDefault());
    Value queryTerm = emitQueryTerm(rewriter, op, variances);
    Value keyTerm =
        op.getGaussian() ? emitKeyTerm(rewriter, op, variances) : Value();
    if (op.getQueryTerm())
      queryTerm = emitSum(rewriter, op, queryTerm, op.getQueryTerm());
    if (op.getKeyTerm())
      keyTerm = keyTerm ? emitSum(rewriter, op, keyTerm, op.getKeyTerm())
                        : Value(op.getKeyTerm());
    rewriter.modifyOpInPlace(op, [&] {
      op.setGaussian(false);
      op.setScale(scale);
      op.setVariances(variances);
      op.getShiftsMutable().clear();
      op.getQueryTermMutable().assign(queryTerm);
      if (keyTerm)
        op.getKeyTermMutable().assign(keyTerm);
    });
    return success();
  }

private:
  using Emit = function_ref<Value(OpBuilder &, Location, ValueRange)>;

  static Value number(OpBuilder &b, Location loc, double value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  }

  /// term[b,h,r,i] = sum_d `body`(sequence, shift, term), with loops b, h, r,
  /// i, d: for the queries, or the keys, that `sequence` is. Without shifts
  /// `body` gets none; `group` heads of the sequence share one.
  static Value emitTerm(PatternRewriter &rewriter, GenericOp op, Value sequence,
                        int64_t group, Emit body) {
    auto attention = cast<AttentionOpInterface>(op.getOperation());
    AffineExpr b, h, r, i, d;
    bindDims(rewriter.getContext(), b, h, r, i, d);
    auto map = [&](ArrayRef<AffineExpr> to) {
      return AffineMap::get(5, 0, to, rewriter.getContext());
    };
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(sequence.getType());
    int64_t rank = type.getRank();
    SmallVector<OpFoldResult> sizes = {
        tensor::getMixedSize(rewriter, loc, sequence, 0),
        rewriter.getIndexAttr(type.getDimSize(1)),
        rewriter.getIndexAttr(attention.getNumComponents()),
        tensor::getMixedSize(rewriter, loc, sequence, rank - 2)};
    SmallVector<Value> operands = {sequence};
    SmallVector<AffineMap> maps = {rank == 5 ? map({b, h, r, i, d})
                                             : map({b, h, i, d})};
    if (op.getShifts()) {
      operands.push_back(op.getShifts());
      maps.push_back(map({h.floorDiv(group), r, d}));
    }
    maps.push_back(map({b, h, r, i}));
    Value empty =
        tensor::EmptyOp::create(rewriter, loc, sizes, rewriter.getF32Type());
    Value init =
        linalg::FillOp::create(rewriter, loc, number(rewriter, loc, 0.0), empty)
            .getResult(0);
    SmallVector<utils::IteratorType> loops(5, utils::IteratorType::parallel);
    loops.back() = utils::IteratorType::reduction;
    return linalg::GenericOp::create(
               rewriter, loc, init.getType(), operands, init, maps, loops,
               [&](OpBuilder &b, Location loc, ValueRange args) {
                 // Added up in any order, so that it is done by vectors.
                 Value sum = arith::AddFOp::create(
                     b, loc, args.back(), body(b, loc, args.drop_back()),
                     arith::FastMathFlags::reassoc);
                 linalg::YieldOp::create(b, loc, sum);
               })
        .getResult(0);
  }

  /// 1 / v_r for the component that loop r is at, by selects: there are few.
  static Value inverseVariance(OpBuilder &b, Location loc,
                               ArrayRef<double> variances) {
    Value r = linalg::IndexOp::create(b, loc, 2);
    Value inverse = number(b, loc, 1.0 / variances[0]);
    for (size_t i = 1; i < variances.size(); ++i) {
      Value is =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, r,
                                arith::ConstantIndexOp::create(b, loc, i));
      inverse = arith::SelectOp::create(
          b, loc, is, number(b, loc, 1.0 / variances[i]), inverse);
    }
    return inverse;
  }

  /// (q . s_r - |q|^2 / 2) / v_r
  static Value emitQueryTerm(PatternRewriter &rewriter, GenericOp op,
                             ArrayRef<double> variances) {
    auto attention = cast<AttentionOpInterface>(op.getOperation());
    return emitTerm(
        rewriter, op, op.getQuery(), attention.getKeyGroup(),
        [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
          Value q = toF32(b, loc, args[0]);
          // q (s - q / 2) / v
          Value other;
          if (op.getShifts())
            other = toF32(b, loc, args[1]);
          if (op.getGaussian()) {
            Value half = arith::MulFOp::create(b, loc, q, number(b, loc, -0.5));
            other = other
                        ? arith::AddFOp::create(b, loc, other, half).getResult()
                        : half;
          }
          Value product = arith::MulFOp::create(b, loc, q, other);
          return arith::MulFOp::create(b, loc, product,
                                       inverseVariance(b, loc, variances));
        });
  }

  /// -|k + s_r|^2 / (2 v_r)
  static Value emitKeyTerm(PatternRewriter &rewriter, GenericOp op,
                           ArrayRef<double> variances) {
    return emitTerm(
        rewriter, op, op.getKey(), /*group=*/1,
        [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
          Value k = toF32(b, loc, args[0]);
          if (op.getShifts())
            k = arith::AddFOp::create(b, loc, k, toF32(b, loc, args[1]));
          Value square = arith::MulFOp::create(b, loc, k, k);
          Value factor = arith::MulFOp::create(
              b, loc, number(b, loc, -0.5), inverseVariance(b, loc, variances));
          return arith::MulFOp::create(b, loc, square, factor);
        });
  }

  /// `term`, `[B,H,R,N]`, plus `other`, the same or `[B,H,N]`.
  static Value emitSum(PatternRewriter &rewriter, GenericOp op, Value term,
                       Value other) {
    AffineMap each = rewriter.getMultiDimIdentityMap(4);
    bool isWhole = cast<RankedTensorType>(other.getType()).getRank() == 4;
    SmallVector<utils::IteratorType> loops(4, utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               rewriter, op.getLoc(), term.getType(), other, term,
               ArrayRef<AffineMap>{isWhole ? each : each.dropResult(2), each},
               loops,
               [&](OpBuilder &b, Location loc, ValueRange args) {
                 Value sum = arith::AddFOp::create(b, loc, args[1],
                                                   toF32(b, loc, args[0]));
                 linalg::YieldOp::create(b, loc, sum);
               })
        .getResult(0);
  }
};

struct ExpandGaussianPass
    : mixattn::impl::ExpandGaussianPassBase<ExpandGaussianPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandGaussian>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
