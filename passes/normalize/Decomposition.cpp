// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the stages of one attention.

#include "passes/normalize/Decomposition.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

ScoreDecomposition::ScoreDecomposition(ScoreOpInterface scored,
                                       RewriterBase &rewriter)
    : LinalgEmitter(rewriter, scored->getLoc()), scored(scored),
      batch(sizeOf(scored.getBatchDim())),
      queryHeads(rewriter.getIndexAttr(scored.getNumQueryHeads())),
      components(rewriter.getIndexAttr(scored.getNumComponents())),
      queries(sizeOf(scored.getQueriesDim())),
      keys(sizeOf(scored.getKeysDim())) {}

Decomposition::Decomposition(AttentionOpInterface op, RewriterBase &rewriter)
    : ScoreDecomposition(op, rewriter), op(op),
      heads(rewriter.getIndexAttr(op.getNumHeads())) {}

SmallVector<Value> Decomposition::emit() {
  Value combined = op.getGivenScores()
                       ? widened(op.getGivenScores())
                       : emitCombined(emitRawScores(emitProducts()));
  Value weights = emitWeights(emitScores(emitPremix(combined)));
  if (op.hasPostmix())
    weights = emitPostmix(weights);
  SmallVector<Value> results = {emitPool(weights)};
  if (op.getWeights())
    results.push_back(weights);
  if (op.getLse())
    results.push_back(lse);
  return castTo(op->getResults(), results);
}
