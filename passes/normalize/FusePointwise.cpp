// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-fuse-pointwise: chains of pointwise ops become one loop.

#include "dialect/attn/AttnOps.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mixattn {
#define GEN_PASS_DEF_FUSEPOINTWISEPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

static bool isPointwise(linalg::GenericOp op) {
  return op && op.hasPureTensorSemantics() &&
         op.getNumLoops() == op.getNumParallelLoops();
}

static int64_t sizeOf(linalg::GenericOp op) {
  return llvm::range_size(op.getBody()->without_terminator());
}

/// Whether what `operand` reads can be computed where it is read, once for each
/// element, by a body of at most `most` ops.
static bool canFuse(OpOperand &operand, int64_t most) {
  auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
  auto consumer = cast<linalg::GenericOp>(operand.getOwner());
  return isPointwise(producer) && producer->getNumResults() == 1 &&
         producer->hasOneUse() &&
         producer->getBlock() == consumer->getBlock() &&
         consumer.isDpsInput(&operand) &&
         consumer.getMatchingIndexingMap(&operand).isPermutation() &&
         sizeOf(producer) + sizeOf(consumer) <= most &&
         linalg::areElementwiseOpsFusable(&operand);
}

/// Where `op` only overwrites its init, replaces an init that a pointwise op
/// made by that op's own init: the producer then has one use less.
static void forgetProducer(linalg::GenericOp op) {
  for (OpOperand &init : op.getDpsInitsMutable()) {
    if (op.payloadUsesValueFromOperand(&init))
      continue;
    auto producer = init.get().getDefiningOp<linalg::GenericOp>();
    if (isPointwise(producer) && producer->getNumResults() == 1 &&
        producer.getDpsInits()[0].getType() == init.get().getType())
      init.set(producer.getDpsInits()[0]);
  }
}

namespace {

struct FusePointwisePass
    : mixattn::impl::FusePointwisePassBase<FusePointwisePass> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> named;
    getOperation()->walk([&](linalg::LinalgOp op) {
      // Kernels know what fills a tensor by its name.
      if (!isa<linalg::GenericOp>(op) && linalg::isElementwise(op) &&
          op.hasPureTensorSemantics() && !op->getParentOfType<KernelOp>())
        named.push_back(op);
    });
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      if (failed(linalg::generalizeNamedOp(rewriter, op)))
        return signalPassFailure();
    }
    // In the order of the program: a producer holds what it could take.
    SmallVector<linalg::GenericOp> consumers;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (isPointwise(op))
        consumers.push_back(op);
    });
    for (linalg::GenericOp op : consumers)
      forgetProducer(op);
    for (linalg::GenericOp consumer : consumers)
      while (OpOperand *operand = findOperand(consumer))
        if (failed(fuse(rewriter, *operand, consumer)))
          break;
    // An operand that a chain reads several times is read once.
    RewritePatternSet patterns(&getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }

private:
  OpOperand *findOperand(linalg::GenericOp consumer) {
    for (OpOperand &operand : consumer->getOpOperands())
      if (canFuse(operand, most))
        return &operand;
    return nullptr;
  }

  /// Puts what `operand` reads into `consumer`, which becomes another op.
  static LogicalResult fuse(IRRewriter &rewriter, OpOperand &operand,
                            linalg::GenericOp &consumer) {
    auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
    rewriter.setInsertionPoint(consumer);
    FailureOr<linalg::ElementwiseOpFusionResult> fused =
        linalg::fuseElementwiseOps(rewriter, &operand);
    if (failed(fused))
      return failure();
    for (auto [before, after] : fused->replacements)
      rewriter.replaceAllUsesWith(before, after);
    rewriter.eraseOp(consumer);
    rewriter.eraseOp(producer);
    consumer = cast<linalg::GenericOp>(fused->fusedOp);
    return success();
  }
};

} // namespace
