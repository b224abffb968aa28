// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The computation of a feature map on one number: shared by every lowering.

#ifndef MIXATTN_PASSES_BODY_FEATURE_MAP_H
#define MIXATTN_PASSES_BODY_FEATURE_MAP_H

#include "mlir/IR/Builders.h"

namespace mixattn {

/// Emits elu(x) + 1 of an f32: x + 1 above 0, exp(x) elsewhere. Only what is
/// not above 0 counts as an exponent, so nothing overflows.
mlir::Value emitElu(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value x);

/// Emits max(x, 0) of a float; NaN stays NaN.
mlir::Value emitRelu(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);

/// Emits one of `features` random features, an f32, from its exponent, an f64:
/// (exp(x) + 1e-4) / sqrt(features), exact to a few units in the last place at
/// any size of x.
mlir::Value emitRandomFeature(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value exponent, int64_t features);

} // namespace mixattn

#endif // MIXATTN_PASSES_BODY_FEATURE_MAP_H
