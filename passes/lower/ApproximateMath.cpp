// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-approximate-math: turns math functions into polynomials and comparisons.

#include "passes/Passes.h"
#include "passes/body/Erf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <limits>

namespace mixattn {
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// `value` as a constant of `type`, a float or a vector of floats.
static Value constantOf(OpBuilder &b, Location loc, Type type, APFloat value) {
  TypedAttr number = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    number = DenseElementsAttr::get(vector, number);
  return arith::ConstantOp::create(b, loc, number);
}

namespace {

/// isinf(x)  ->  |x| == infinity
struct CompareIsInf : OpRewritePattern<math::IsInfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IsInfOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getOperand().getType();
    const llvm::fltSemantics &semantics =
        cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
    Value infinity =
        constantOf(rewriter, op.getLoc(), type, APFloat::getInf(semantics));
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

/// exp2(x) of an f32  ->  a polynomial of x less the nearest integer n, with n
/// added to its exponent
///
/// Upstream has none; its expansion, exp(x ln 2), multiplies rounding errors by
/// x. What is below 2^-126 becomes a number from 0 to 2^-126. Infinities and
/// NaN are not asked for where the op's flags say that there are none.
struct ApproximateExp2 : OpRewritePattern<math::Exp2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Exp2Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    Location loc = op.getLoc();
    Value x = op.getOperand();
    Type i32 = rewriter.getI32Type();
    TypedAttr exponentPlace = rewriter.getI32IntegerAttr(23);
    if (auto vector = dyn_cast<VectorType>(op.getType())) {
      i32 = vector.clone(i32);
      exponentPlace = DenseElementsAttr::get(cast<VectorType>(i32),
                                             Attribute(exponentPlace));
    }
    auto number = [&](float value) {
      return constantOf(rewriter, loc, op.getType(), APFloat(value));
    };
    auto where = [&](arith::CmpFPredicate predicate, float bound, Value yes,
                     Value no) -> Value {
      Value holds =
          arith::CmpFOp::create(rewriter, loc, predicate, x, number(bound));
      return arith::SelectOp::create(rewriter, loc, holds, yes, no);
    };
    // The exponent that n = -127 leaves is that of 0.
    Value bounded =
        where(arith::CmpFPredicate::OLT, -127.0f, number(-127.0f), x);
    // Near 1.5 * 2^23 the last bit of an f32 counts ones: the sum ends in n.
    constexpr float ones = 12582912.0f;
    Value sum = arith::AddFOp::create(rewriter, loc, bounded, number(ones));
    Value nearest = arith::SubFOp::create(rewriter, loc, sum, number(ones));
    Value rest = arith::SubFOp::create(rewriter, loc, bounded, nearest);
    // Minimax over [-1/2, 1/2], relative, with p(0) = 1: 2^-29 away.
    Value p = number(0.000153533620f);
    for (float c : {0.00133988750f, 0.00961843692f, 0.0555033237f, 0.240226477f,
                    0.693147182f, 1.0f}) {
      auto fused = arith::FastMathFlags::contract;
      p = arith::MulFOp::create(rewriter, loc, p, rest, fused);
      p = arith::AddFOp::create(rewriter, loc, p, number(c), fused);
    }
    auto bits = [&](Value value) -> Value {
      return arith::BitcastOp::create(rewriter, loc, i32, value);
    };
    Value places = arith::ConstantOp::create(rewriter, loc, exponentPlace);
    Value power =
        arith::ShLIOp::create(rewriter, loc, bits(sum), places).getResult();
    power = arith::AddIOp::create(rewriter, loc, bits(p), power);
    Value result = arith::BitcastOp::create(rewriter, loc, op.getType(), power);
    auto lacks = [&](arith::FastMathFlags flag) {
      return arith::bitEnumContainsAll(op.getFastmath(), flag);
    };
    if (!lacks(arith::FastMathFlags::ninf))
      result = where(arith::CmpFPredicate::OGE, 128.0f,
                     number(std::numeric_limits<float>::infinity()), result);
    if (!lacks(arith::FastMathFlags::nnan))
      result = where(arith::CmpFPredicate::UNO, 0.0f, x, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ApproximateMathPass
    : mixattn::impl::ApproximateMathPassBase<ApproximateMathPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ApproximateExp2, CompareClamp, CompareIsInf>(&getContext());
    populateErf(patterns);
    // The functions whose upstream polynomials stay within a few units in the
    // last place over the whole range.
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained({"math.exp", "math.expm1", "math.log",
                                 "math.log1p", "math.log2", "math.tanh"},
                                name);
    });
    // Functions and what becomes of them: a module has many other ops.
    SmallVector<Operation *> functions;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_present<math::MathDialect>(op->getDialect()))
        functions.push_back(op);
    });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(functions, std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
