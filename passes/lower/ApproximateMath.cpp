// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-approximate-math: turns math functions into polynomials and comparisons.

#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mixattn {
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

/// isinf(x)  ->  |x| == infinity
struct CompareIsInf : OpRewritePattern<math::IsInfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IsInfOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<FloatType>(op.getOperand().getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "not a scalar");
    Value infinity = arith::ConstantOp::create(
        rewriter, op.getLoc(),
        rewriter.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics())));
    Value magnitude =
        math::AbsFOp::create(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, arith::CmpFPredicate::OEQ,
                                               magnitude, infinity);
    return success();
  }
};

/// clampf(x, low, high)  ->  minimum(maximum(x, low), high)
///
/// Not upstream's expansion: in 22.1.8 it takes the bounds the wrong way round.
struct CompareClamp : OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ClampFOp op,
                                PatternRewriter &rewriter) const override {
    Value raised = arith::MaximumFOp::create(rewriter, op.getLoc(),
                                             op.getValue(), op.getMin());
    rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, raised, op.getMax());
    return success();
  }
};

struct ApproximateMathPass
    : mixattn::impl::ApproximateMathPassBase<ApproximateMathPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<CompareClamp, CompareIsInf>(&getContext());
    // The functions whose upstream polynomials stay within a few units in the
    // last place over the whole range.
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained({"math.exp", "math.expm1", "math.log",
                                 "math.log1p", "math.log2", "math.tanh"},
                                name);
    });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
