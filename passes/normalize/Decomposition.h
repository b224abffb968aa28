// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plain path of one attention: a linalg op per stage.

#ifndef MIXATTN_PASSES_NORMALIZE_DECOMPOSITION_H
#define MIXATTN_PASSES_NORMALIZE_DECOMPOSITION_H

#include "dialect/attn/AttnOps.h"

#include "mlir/IR/AffineMap.h"

#include <optional>

namespace mixattn {

/// Emits the stages of one attention. Loops are b, h, i, j in this order;
/// components come third, a reduction comes last.
class Decomposition {
public:
  Decomposition(AttentionOpInterface op, mlir::RewriterBase &rewriter);

  /// The attention's results.
  llvm::SmallVector<mlir::Value> emit();

private:
  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                              mlir::ValueRange)>;

  bool keysHaveComponents() {
    return op.getKeyType().getRank() == 5 || op.getShifts();
  }
  mlir::Value emitProducts();
  mlir::Value emitRawScores(mlir::Value products);
  mlir::Value emitCombined(mlir::Value raw);
  mlir::Value emitMixture(mlir::Value scores, mlir::Value mixer,
                          mlir::AffineMap mixerMap, mlir::Value offset,
                          int64_t outputs, Body term);
  mlir::Value emitPremix(mlir::Value scores);
  mlir::Value emitScores(mlir::Value combined);
  mlir::Value emitRowReduction(mlir::Value tensor, double init, Body combine);
  mlir::Value emitLse(mlir::Value rowMax, mlir::Value rowSum);
  mlir::Value emitWeights(mlir::Value scores);
  mlir::Value emitRowMixer();
  mlir::Value emitPostmix(mlir::Value weights);
  mlir::Value emitPool(mlir::Value weights);

  /// A linalg.generic into `init`, whose loops that the output's map lacks are
  /// reductions.
  mlir::Value generic(mlir::ValueRange inputs,
                      llvm::ArrayRef<mlir::AffineMap> inputMaps,
                      mlir::Value init, mlir::AffineMap outputMap, Body body);

  /// A tensor of `element` with `sizes`, filled with `value` if given.
  mlir::Value tensorOf(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                       mlir::Type element, std::optional<double> value);

  mlir::AffineExpr dim(unsigned position) {
    return rewriter.getAffineDimExpr(position);
  }
  mlir::AffineMap map(unsigned loops,
                      llvm::ArrayRef<mlir::AffineExpr> results) {
    return mlir::AffineMap::get(loops, 0, results, rewriter.getContext());
  }
  mlir::AffineMap broadcastMap(mlir::RankedTensorType type);
  mlir::Value constant(mlir::OpBuilder &builder, double value);
  mlir::OpFoldResult sizeOf(mlir::Value tensor, int64_t dim);

  /// The finite f32 at which a maximum starts: -inf minus it is -inf, where
  /// -inf - -inf would be NaN.
  static double lowest();
  /// The larger of two f32, the second where either is NaN.
  static mlir::Value larger(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::ValueRange args);
  static mlir::Value product(mlir::OpBuilder &b, mlir::Location loc,
                             mlir::ValueRange args);
  static mlir::Value sum(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::ValueRange args);
  /// exp(args[0] - args[1])
  static mlir::Value exponential(mlir::OpBuilder &b, mlir::Location loc,
                                 mlir::ValueRange args);

  AttentionOpInterface op;
  mlir::RewriterBase &rewriter;
  mlir::Location loc;
  mlir::Type f32;
  mlir::OpFoldResult batch, queryHeads, heads, components, queries, keys;
  /// Set by emitWeights where the attention returns it.
  mlir::Value lse;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_NORMALIZE_DECOMPOSITION_H
