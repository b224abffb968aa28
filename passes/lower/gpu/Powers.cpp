// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Powers and roots, by logarithms and powers of 2 in f64.

#include "passes/lower/gpu/FunctionEmitter.h"
#include "passes/lower/gpu/Lowerings.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace mixattn;

namespace {

struct PowerEmitter : FunctionEmitter {
  using FunctionEmitter::FunctionEmitter;

  Value isWhole(Value x) {
    return isTrue(Predicate::OEQ, math::TruncOp::create(b, x), x);
  }

  /// The power `y`, an f64, of `x`, an f32 (C17, F.10.4.4).
  Value powerOf(Value x, Value y) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Value base = wide(x), zero = constant(y, 0);
    Value log = binaryLogarithm(magnitude(base));
    // The power 0 of infinity and all powers of 1 are 1.
    Value isOne = either(isTrue(Predicate::OEQ, y, zero),
                         isTrue(Predicate::OEQ, log, zero));
    Value result = powerOfTwo(choose(isOne, zero, product(y, log)));
    // Odd powers have the sign of x.
    Value isOdd =
        both(isWhole(y),
             arith::XOrIOp::create(b, isWhole(product(y, constant(y, 0.5))),
                                   integer(b.getI1Type(), 1)));
    result = choose(isOdd, signedAs(result, base), result);
    // Other powers than whole ones of numbers below 0 are none.
    Value hasNone = both(
        isTrue(Predicate::OLT, base, zero),
        both(isTrue(Predicate::OGT, base, -infinity),
             arith::XOrIOp::create(b, isWhole(y), integer(b.getI1Type(), 1))));
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    result = choose(hasNone, constant(y, nan), result);
    Value isNan = isTrue(Predicate::UNO, base, y);
    result = choose(isNan, sum(base, y), result);
    Value isCertain = either(isTrue(Predicate::OEQ, y, zero),
                             isTrue(Predicate::OEQ, base, 1.0));
    return narrow(choose(isCertain, constant(y, 1), result));
  }
};

/// powf(x, y)  ->  2^(y log2 |x|), with a sign
struct PowToLogarithm : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    PowerEmitter emit(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emit.powerOf(op.getLhs(), emit.wide(op.getRhs())));
    return success();
  }
};

/// fpowi(x, n)  ->  2^(n log2 |x|), with a sign
struct WholePowToLogarithm : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || op.getRhs().getType().isIndex())
      return rewriter.notifyMatchFailure(op, "not of f32 and an integer");
    PowerEmitter emit(op.getLoc(), rewriter);
    Value exponent =
        arith::SIToFPOp::create(emit.b, rewriter.getF64Type(), op.getRhs());
    rewriter.replaceOp(op, emit.powerOf(op.getLhs(), exponent));
    return success();
  }
};

/// ipowi(x, n)  ->  a product for each bit of n; below 0 what is left of 1 /
/// x^-n
struct IntegerPowToLoop : OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isIntOrIndex())
      return rewriter.notifyMatchFailure(op, "not of integers");
    FunctionEmitter emit(op.getLoc(), rewriter);
    ImplicitLocOpBuilder &b = emit.b;
    Value x = op.getLhs(), n = op.getRhs();
    Value zero = emit.integer(type, 0), one = emit.integer(type, 1);
    auto is = [&](arith::CmpIPredicate predicate, Value p, Value q) {
      return arith::CmpIOp::create(b, predicate, p, q);
    };
    Value isNegative = is(arith::CmpIPredicate::slt, n, zero);
    // 1 and -1 are their own reciprocals, and others' are rounded to 0.
    Value minusOne = emit.integer(type, -1);
    Value isUnit = emit.either(is(arith::CmpIPredicate::eq, x, one),
                               is(arith::CmpIPredicate::eq, x, minusOne));
    Value least = emit.choose(isUnit, one, zero);
    Value bits = emit.integer(
        b.getIndexType(), type.isIndex() ? 64 : type.getIntOrFloatBitWidth());
    auto loop = scf::ForOp::create(
        b, emit.integer(b.getIndexType(), 0), bits,
        emit.integer(b.getIndexType(), 1), ValueRange{one, x, n},
        [&](OpBuilder &inner, Location loc, Value, ValueRange state) {
          ImplicitLocOpBuilder in(loc, inner);
          Value isOdd = arith::CmpIOp::create(
              in, arith::CmpIPredicate::ne,
              arith::AndIOp::create(in, state[2], one), zero);
          Value next = arith::MulIOp::create(in, state[0], state[1]);
          scf::YieldOp::create(
              in, ValueRange{arith::SelectOp::create(in, isOdd, next, state[0]),
                             arith::MulIOp::create(in, state[1], state[1]),
                             arith::ShRUIOp::create(in, state[2], one)});
        });
    Value power = loop.getResult(0);
    // Powers of -1 with the bits of n: -n has the same last one.
    Value isZero =
        emit.both(isNegative, is(arith::CmpIPredicate::eq, least, zero));
    rewriter.replaceOp(op, emit.choose(isZero, zero, power));
    return success();
  }
};

} // namespace

/// 2^(log2 |x| / 3), with the sign of x.
static Value cubeRoot(FunctionEmitter &emit, Value x) {
  Value log = emit.binaryLogarithm(emit.magnitude(emit.wide(x)));
  Value third = emit.product(log, emit.constant(log, 1.0 / 3));
  return emit.signedAs(emit.narrow(emit.powerOfTwo(third)), x);
}

void mixattn::populatePowers(RewritePatternSet &patterns) {
  patterns.add<PowToLogarithm, WholePowToLogarithm, IntegerPowToLoop,
               FunctionToArithmetic<math::CbrtOp, cubeRoot>>(
      patterns.getContext());
}
