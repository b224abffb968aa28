// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Features of queries and keys of linear attentions, as tensors.

#ifndef MIXATTN_PASSES_NORMALIZE_FEATURES_H
#define MIXATTN_PASSES_NORMALIZE_FEATURES_H

#include "passes/normalize/LinalgEmitter.h"

namespace mixattn {

/// Emits the features of one linear attention, in f32.
class FeatureEmitter : public LinalgEmitter {
public:
  FeatureEmitter(LinearAttentionOpInterface op, mlir::RewriterBase &rewriter);

  /// phi(q), [B,Hq,N,F].
  mlir::Value emitQueryFeatures();

  /// phi(k), [B,Hk,S,F], or phi(k_r), [B,Hk,R,S,F].
  mlir::Value emitKeyFeatures();

  /// sum_r prior_r features_r, [B,Hk,S,F], of `features` [B,Hk,R,S,F].
  mlir::Value emitMixedFeatures(mlir::Value features);

protected:
  LinearAttentionOpInterface op;

private:
  /// `each` of every element of `x`, an f32.
  mlir::Value
  emitEach(mlir::Value x,
           llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                          mlir::Value)>
               each);
  mlir::Value emitShifted();
  mlir::Value emitNormalized(mlir::Value features);
  mlir::Value emitHalves(mlir::ValueRange inputs,
                         llvm::ArrayRef<mlir::AffineMap> maps,
                         llvm::ArrayRef<mlir::OpFoldResult> sizes, Body body);
  mlir::Value emitRolled(mlir::Value x, int64_t rolls);
  mlir::Value emitRandom(mlir::Value x);
  mlir::Value emitFeatures(mlir::Value x);
};

} // namespace mixattn

#endif // MIXATTN_PASSES_NORMALIZE_FEATURES_H
