// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits what a feature map does to one number, in arith and math on scalars.

#include "passes/body/FeatureMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

static Value constant(OpBuilder &builder, Location loc, Type type,
                      double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(type, value));
}

Value mixattn::emitElu(OpBuilder &builder, Location loc, Value x) {
  Type f32 = builder.getF32Type();
  Value isAbove = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                        x, constant(builder, loc, f32, 0.0));
  Value line =
      arith::AddFOp::create(builder, loc, x, constant(builder, loc, f32, 1.0));
  Value curve = math::ExpOp::create(builder, loc, x);
  return arith::SelectOp::create(builder, loc, isAbove, line, curve);
}

Value mixattn::emitRelu(OpBuilder &builder, Location loc, Value x) {
  return arith::MaximumFOp::create(builder, loc, x,
                                   constant(builder, loc, x.getType(), 0.0));
}

Value mixattn::emitRandomFeature(OpBuilder &builder, Location loc,
                                 Value exponent, int64_t features) {
  Type f32 = builder.getF32Type(), f64 = builder.getF64Type();
  // Beyond these exp is 0 or infinite in f32, and infinities would cancel.
  exponent = arith::MaximumFOp::create(builder, loc, exponent,
                                       constant(builder, loc, f64, -1e3));
  exponent = arith::MinimumFOp::create(builder, loc, exponent,
                                       constant(builder, loc, f64, 1e3));
  // exp(high + low) = exp(high) (1 + low), low being below a rounding of high.
  Value high = arith::TruncFOp::create(builder, loc, f32, exponent);
  Value low = arith::SubFOp::create(
      builder, loc, exponent,
      arith::ExtFOp::create(builder, loc, f64, high).getResult());
  Value factor = arith::AddFOp::create(
      builder, loc, constant(builder, loc, f32, 1.0),
      arith::TruncFOp::create(builder, loc, f32, low).getResult());
  Value power = arith::MulFOp::create(
      builder, loc, math::ExpOp::create(builder, loc, high).getResult(),
      factor);
  Value sum = arith::AddFOp::create(builder, loc, power,
                                    constant(builder, loc, f32, 1e-4));
  return arith::MulFOp::create(
      builder, loc, sum,
      constant(builder, loc, f32, 1.0 / std::sqrt(double(features))));
}
