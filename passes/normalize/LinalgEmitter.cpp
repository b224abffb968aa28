// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits linalg ops on tensors of floats.

#include "passes/normalize/LinalgEmitter.h"

#include "passes/body/ScoreBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace mixattn;

Value LinalgEmitter::generic(ValueRange inputs, ArrayRef<AffineMap> inputMaps,
                             Value init, AffineMap outputMap, Body body) {
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(outputMap);
  SmallVector<utils::IteratorType> loops(outputMap.getNumDims(),
                                         utils::IteratorType::reduction);
  for (AffineExpr result : outputMap.getResults())
    loops[cast<AffineDimExpr>(result).getPosition()] =
        utils::IteratorType::parallel;
  auto generic = linalg::GenericOp::create(
      rewriter, loc, init.getType(), inputs, init, maps, loops,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(builder, loc, body(builder, loc, arguments));
      });
  return generic.getResult(0);
}

Value LinalgEmitter::tensorOf(ArrayRef<OpFoldResult> sizes, Type element,
                              std::optional<double> value) {
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, element);
  if (!value)
    return empty;
  return linalg::FillOp::create(rewriter, loc,
                                constant(rewriter, *value, element), empty)
      .getResult(0);
}

Value LinalgEmitter::constant(OpBuilder &builder, double value, Type type) {
  return arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(type ? type : f32, value));
}

OpFoldResult LinalgEmitter::sizeOf(Value tensor, int64_t dim) {
  return tensor::getMixedSize(rewriter, loc, tensor, dim);
}

double LinalgEmitter::lowest() { return std::numeric_limits<float>::lowest(); }

Value LinalgEmitter::larger(OpBuilder &b, Location loc, ValueRange args) {
  Value greater = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                        args[0], args[1]);
  return arith::SelectOp::create(b, loc, greater, args[0], args[1]);
}

Value LinalgEmitter::product(OpBuilder &b, Location loc, ValueRange args) {
  return arith::MulFOp::create(b, loc, args[0], args[1]);
}

Value LinalgEmitter::sum(OpBuilder &b, Location loc, ValueRange args) {
  return arith::AddFOp::create(b, loc, args[1], args[0]);
}

Value LinalgEmitter::exponential(OpBuilder &b, Location loc, ValueRange args) {
  Value shifted = arith::SubFOp::create(b, loc, args[0], args[1]);
  return math::ExpOp::create(b, loc, shifted);
}

Value LinalgEmitter::toF64(OpBuilder &b, Value value) {
  if (value.getType() == f64)
    return value;
  return arith::ExtFOp::create(b, loc, f64, toF32(b, loc, value));
}

Value LinalgEmitter::weighted(OpBuilder &b, Location loc, Value weight,
                              Value value) {
  Value zero = constant(b, 0.0);
  Value isZero =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, weight, zero);
  Value product = arith::MulFOp::create(b, loc, weight, toF32(b, loc, value));
  return arith::SelectOp::create(b, loc, isZero, zero, product);
}

Value LinalgEmitter::quotient(OpBuilder &b, Location loc, Value numerator,
                              Value denominator) {
  Value zero = constant(b, 0.0, numerator.getType());
  Value isZero = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                       denominator, zero);
  Value ratio = arith::DivFOp::create(b, loc, numerator, denominator);
  return arith::SelectOp::create(b, loc, isZero, zero, ratio);
}

/// `tensor` with each element converted, into elements of type `element`.
static Value convertEach(RewriterBase &rewriter, Location loc, Value tensor,
                         Type element,
                         function_ref<Value(OpBuilder &, Value)> convert) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  Value init = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, tensor), element);
  AffineMap each = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, loc, init.getType(), tensor, init,
             ArrayRef<AffineMap>{each, each}, loops,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(b, loc, convert(b, args[0]));
             })
      .getResult(0);
}

Value LinalgEmitter::widened(Value tensor) {
  if (cast<RankedTensorType>(tensor.getType()).getElementType().isF32())
    return tensor;
  return convertEach(
      rewriter, loc, tensor, f32,
      [&](OpBuilder &b, Value element) { return toF32(b, loc, element); });
}

Value LinalgEmitter::rounded(Value tensor, Type element) {
  if (getElementTypeOrSelf(tensor) == element)
    return tensor;
  return convertEach(rewriter, loc, tensor, element,
                     [&](OpBuilder &b, Value value) {
                       if (value.getType() == f64)
                         value = arith::TruncFOp::create(b, loc, f32, value);
                       return fromF32(b, loc, value, element);
                     });
}

SmallVector<Value> LinalgEmitter::castTo(ResultRange results,
                                         ValueRange values) {
  SmallVector<Value> cast;
  for (auto [value, result] : llvm::zip_equal(values, results))
    cast.push_back(
        value.getType() == result.getType()
            ? value
            : tensor::CastOp::create(rewriter, loc, result.getType(), value)
                  .getResult());
  return cast;
}

Value LinalgEmitter::rowMixer(Value source, Value weight, Value bias) {
  OpFoldResult heads = sizeOf(source, 1);
  SmallVector<OpFoldResult> sizes = {sizeOf(source, 0), sizeOf(source, 2),
                                     heads, heads};
  Value init = generic(
      bias, map(4, {dim(2), dim(3)}), tensorOf(sizes, f32, std::nullopt),
      identity(4), [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return toF32(b, loc, args[0]);
      });
  // Loops b, i, c, a, d.
  return generic(
      {source, weight},
      {map(5, {dim(0), dim(2), dim(1), dim(4)}), map(5, {dim(4), dim(3)})},
      init, map(5, {dim(0), dim(1), dim(2), dim(3)}),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value product = arith::MulFOp::create(b, loc, toF32(b, loc, args[0]),
                                              toF32(b, loc, args[1]));
        return arith::AddFOp::create(b, loc, args[2], product);
      });
}
