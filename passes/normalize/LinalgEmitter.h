// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared part of the plain paths of all ops: linalg ops on tensors of f32,
// and of f64 where many terms are summed.

#ifndef MIXATTN_PASSES_NORMALIZE_LINALG_EMITTER_H
#define MIXATTN_PASSES_NORMALIZE_LINALG_EMITTER_H

#include "dialect/attn/AttnOps.h"

#include "mlir/IR/AffineMap.h"

#include <optional>

namespace mixattn {

/// Emits linalg ops at a rewriter's place.
class LinalgEmitter {
public:
  LinalgEmitter(mlir::RewriterBase &rewriter, mlir::Location loc)
      : rewriter(rewriter), loc(loc), f32(rewriter.getF32Type()),
        f64(rewriter.getF64Type()) {}

protected:
  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                              mlir::ValueRange)>;

  /// A linalg.generic into `init`, whose loops that the output's map lacks are
  /// reductions. The body gets the inputs' elements, then the output's.
  mlir::Value generic(mlir::ValueRange inputs,
                      llvm::ArrayRef<mlir::AffineMap> inputMaps,
                      mlir::Value init, mlir::AffineMap outputMap, Body body);

  /// A tensor of `element` with `sizes`, filled with `value` if given.
  mlir::Value tensorOf(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                       mlir::Type element, std::optional<double> value);

  /// `tensor` with its elements, floats of any type, as f32.
  mlir::Value widened(mlir::Value tensor);

  /// `tensor` of f32 with its elements rounded to `element`.
  mlir::Value rounded(mlir::Value tensor, mlir::Type element);

  /// `values` as the types of `results` say: their sizes may be static where
  /// those of the values are not.
  llvm::SmallVector<mlir::Value> castTo(mlir::ResultRange results,
                                        mlir::ValueRange values);

  /// mixer[b,i,c,a] = bias[c,a] + sum_d source[b,c,i,d] weight[d,a] in f32, the
  /// mixer over heads of each row.
  mlir::Value rowMixer(mlir::Value source, mlir::Value weight,
                       mlir::Value bias);

  mlir::AffineExpr dim(unsigned position) {
    return rewriter.getAffineDimExpr(position);
  }
  mlir::AffineMap map(unsigned loops,
                      llvm::ArrayRef<mlir::AffineExpr> results) {
    return mlir::AffineMap::get(loops, 0, results, rewriter.getContext());
  }
  mlir::AffineMap identity(unsigned loops) {
    return rewriter.getMultiDimIdentityMap(loops);
  }
  /// A float of `type`, or of f32.
  mlir::Value constant(mlir::OpBuilder &builder, double value,
                       mlir::Type type = {});
  mlir::OpFoldResult sizeOf(mlir::Value tensor, int64_t dim);
  mlir::OpFoldResult sizeOf(OperandDim of) { return sizeOf(of.value, of.dim); }

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
  /// A float of any type as f64.
  mlir::Value toF64(mlir::OpBuilder &b, mlir::Value value);
  /// weight * value in f32, and 0 where the weight is 0 whatever the value is.
  mlir::Value weighted(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value weight, mlir::Value value);
  /// numerator / denominator, and 0 where the denominator is 0.
  mlir::Value quotient(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value numerator, mlir::Value denominator);

  mlir::RewriterBase &rewriter;
  mlir::Location loc;
  mlir::Type f32, f64;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_NORMALIZE_LINALG_EMITTER_H
