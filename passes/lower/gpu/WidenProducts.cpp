// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-widen-products: integers of 64 bits are products of 64.

#include "passes/Passes.h"
#include "passes/lower/gpu/CallSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mixattn {
#define GEN_PASS_DEF_WIDENPRODUCTSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Whether `number` may be more than 32 bits hold though all that it is made of
/// fits: a product of numbers that are not known, a multiple of a size, or what
/// sums make of one. Multiples of a thread's number are few.
static bool mayBeWide(Value number) {
  Operation *op = number.getDefiningOp();
  if (!isa_and_present<arith::MulIOp, arith::AddIOp, arith::SubIOp>(op))
    return false;
  bool isKnown = llvm::any_of(op->getOperands(), [](Value operand) {
    return getConstantIntValue(operand).has_value();
  });
  return (isa<arith::MulIOp>(op) && (!isKnown || isCallSize(number))) ||
         llvm::any_of(op->getOperands(), mayBeWide);
}

namespace {

/// index_cast(x y)  ->  index_cast(x) index_cast(y), and sums likewise
struct WidenProduct : OpRewritePattern<arith::IndexCastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::IndexCastOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isInteger(64) || !mayBeWide(op.getIn()))
      return rewriter.notifyMatchFailure(
          op, "it is no product or sum that may be wide");
    Operation *number = op.getIn().getDefiningOp();
    SmallVector<Value> wide;
    for (Value operand : number->getOperands())
      wide.push_back(rewriter.createOrFold<arith::IndexCastOp>(
          op.getLoc(), op.getType(), operand));
    rewriter.replaceOp(op, rewriter.create(op.getLoc(),
                                           number->getName().getIdentifier(),
                                           wide, op.getType()));
    return success();
  }
};

struct WidenProductsPass
    : mixattn::impl::WidenProductsPassBase<WidenProductsPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<WidenProduct>(&getContext());
    GreedyRewriteConfig config;
    // Loops stay as they are.
    config.enableFolding(false).enableConstantCSE(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
