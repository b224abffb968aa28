// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attentions whose weights mix as stages: factors of rows, then pooled values.

#include "passes/schedule/TwoPassStages.h"

#include "passes/schedule/StageRegion.h"

using namespace mlir;
using namespace mixattn;

void mixattn::makeTwoPassStages(RewriterBase &rewriter, GenericOp op) {
  assert(AttentionOpInterface(op).hasPostmix() && !op.getWeights() &&
         "weights are mixed, and are no result");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  auto result = cast<RankedTensorType>(op.getResult().getType());
  auto numbers = RankedTensorType::get(result.getShape().drop_back(),
                                       rewriter.getF32Type());
  auto rows = SoftmaxFactorsOp::create(rewriter, op.getLoc(),
                                       TypeRange{numbers, numbers});
  describeStage(rewriter, rows, op);
  auto pooled = PoolMixedOp::create(rewriter, op.getLoc(), op->getResultTypes(),
                                    rows.getReferences(), rows.getFactors());
  describeStage(rewriter, pooled, op);
  rewriter.replaceOp(op, pooled->getResults());
}
