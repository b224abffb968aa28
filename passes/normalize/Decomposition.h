// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plain path of one attention: a linalg op per stage.

#ifndef MIXATTN_PASSES_NORMALIZE_DECOMPOSITION_H
#define MIXATTN_PASSES_NORMALIZE_DECOMPOSITION_H

#include "passes/body/ScoreBody.h"
#include "passes/normalize/LinalgEmitter.h"

namespace mixattn {

/// Emits the scores of queries against keys, up to where components meet.
/// Loops are b, h, i, j in this order; components come third, a reduction comes
/// last.
class ScoreDecomposition : public LinalgEmitter {
public:
  ScoreDecomposition(ScoreOpInterface scored, mlir::RewriterBase &rewriter);

protected:
  /// From loops b, h, i, j to the places of an operand that broadcasts.
  mlir::AffineMap broadcastMap(mlir::RankedTensorType type);

  /// S - N, by which queries and keys are aligned.
  mlir::Value emitAlignment();
  /// The place that linalg's loops `i`, `j` and the first two stand at.
  ScorePlace placeOf(mlir::OpBuilder &b, unsigned i, unsigned j,
                     mlir::Value alignment);

  ScoreOpInterface scored;
  mlir::OpFoldResult batch, queryHeads, components, queries, keys;
};

/// Emits the stages of one attention.
class Decomposition : public ScoreDecomposition {
public:
  Decomposition(AttentionOpInterface op, mlir::RewriterBase &rewriter);

  /// The attention's results.
  llvm::SmallVector<mlir::Value> emit();

private:
  bool keysHaveComponents() {
    return scored.getKeyType().getRank() == 5 || scored.getShifts();
  }
  mlir::Value emitProducts();
  mlir::Value emitRawScores(mlir::Value products);
  mlir::Value emitPower(mlir::OpBuilder &b, mlir::Value exponent,
                        mlir::Value largest);
  mlir::Value emitLogarithm(mlir::OpBuilder &b, mlir::Value value);
  mlir::Value emitCombined(mlir::Value raw);
  mlir::Value emitMixture(mlir::Value scores, mlir::Value mixer,
                          mlir::AffineMap mixerMap, mlir::Value offset,
                          int64_t outputs, Body term, bool isNoisy = false);
  mlir::Value emitPremix(mlir::Value scores);
  mlir::Value emitNoise(mlir::OpBuilder &b, mlir::ValueRange operands);
  mlir::Value emitScores(mlir::Value combined);
  mlir::Value emitRowMax(mlir::Value scores);
  mlir::Value emitRowSum(mlir::Value exps);
  mlir::Value emitLse(mlir::Value rowMax, mlir::Value rowSum);
  mlir::Value emitWeights(mlir::Value scores);
  mlir::Value emitPostmix(mlir::Value weights);
  mlir::Value emitPool(mlir::Value weights);

  AttentionOpInterface op;
  mlir::OpFoldResult heads;
  /// Set by emitWeights where the attention returns it.
  mlir::Value lse;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_NORMALIZE_DECOMPOSITION_H
