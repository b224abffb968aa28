// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The error function by arithmetic.

#include "passes/body/Erf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// erf(x) of an f32  ->  x + x p(x^2) near 0, else 1 - 2^q(|x|) with the sign
/// of
/// x
///
/// Upstream's does not hold over the whole range.
struct ApproximateErf : OpRewritePattern<math::ErfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand();
    auto number = [&](float value) {
      TypedAttr attr = b.getF32FloatAttr(value);
      if (auto vector = dyn_cast<VectorType>(op.getType()))
        attr = DenseElementsAttr::get(vector, attr);
      return Value(arith::ConstantOp::create(b, attr));
    };
    // One instruction where there is one.
    auto multiplyAdd = [&](Value p, Value q, Value r) -> Value {
      auto fused = arith::FastMathFlags::contract;
      Value product = arith::MulFOp::create(b, p, q, fused);
      return arith::AddFOp::create(b, product, r, fused);
    };
    auto polynomial = [&](Value of, ArrayRef<float> highestFirst) {
      Value sum = number(highestFirst.front());
      for (float next : highestFirst.drop_front())
        sum = multiplyAdd(sum, of, number(next));
      return sum;
    };
    auto isLess = [&](arith::CmpFPredicate predicate, Value p, float bound) {
      return arith::CmpFOp::create(b, predicate, p, number(bound));
    };
    // Minimax over [0, 0.92], relative, of erf(x) / x - 1: 2^-31 away.
    Value square = arith::MulFOp::create(b, x, x);
    Value p = polynomial(square,
                         {8.382384e-05f, -0.0008145596f, 0.0052012857f,
                          -0.0268595f, 0.11283697f, -0.37612635f, 0.12837917f});
    Value low = multiplyAdd(x, p, x);
    // Minimax over [0.92, 4] of log2(1 - erf(x)), weighted for the result:
    // 2^-34 away. From 4 on, and for NaN, which is not taken, it is as at 4.
    Value magnitude = math::AbsFOp::create(b, x);
    Value bounded = arith::SelectOp::create(
        b, isLess(arith::CmpFPredicate::OLT, magnitude, 4.0f), magnitude,
        number(4.0f));
    Value q = polynomial(bounded, {-3.043373e-05f, 0.00062679715f,
                                   -0.0060175722f, 0.036239672f, -0.15621515f,
                                   -0.91372645f, -1.6295456f, 0.00025201644f});
    Value rest = math::Exp2Op::create(
        b, q, arith::FastMathFlags::nnan | arith::FastMathFlags::ninf);
    Value high = math::CopySignOp::create(
        b, arith::SubFOp::create(b, number(1.0f), rest), x);
    Value isLow = isLess(arith::CmpFPredicate::ULT, magnitude, 0.92f);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isLow, low, high);
    return success();
  }
};

} // namespace

void mixattn::populateErf(RewritePatternSet &patterns) {
  patterns.add<ApproximateErf>(patterns.getContext());
}
