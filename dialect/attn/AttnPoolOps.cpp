// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types, sizes and constraints of attn.structured_pool, and what all ops share
// whose results have sizes of operands.

#include "dialect/attn/OperandConditions.h"
#include "dialect/attn/VerifyShapes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::detail;

LogicalResult
mixattn::detail::reifySizedShape(OpBuilder &builder, SizedOpInterface op,
                                 ReifiedRankedShapedTypeDims &shapes) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<OpFoldResult> &sizes = shapes.emplace_back();
  for (auto [size, of] : llvm::zip_equal(type.getShape(), op.getResultDims())) {
    // Where the result's type says more than the operands do, it holds.
    if (ShapedType::isDynamic(size))
      sizes.push_back(
          tensor::getMixedSize(builder, op->getLoc(), of.value, of.dim));
    else
      sizes.push_back(builder.getIndexAttr(size));
  }
  return success();
}

/// `op` is the op itself or its adaptor.
template <typename Operands>
static SmallVector<OperandDim> getPoolDims(Operands op) {
  Value value = op.getValue(), band = op.getBand();
  OperandDim heads = band ? OperandDim{band, 0} : OperandDim{value, 1};
  return {{value, 0}, heads, {value, 2}, {value, 3}};
}

SmallVector<OperandDim> StructuredPoolOp::getResultDims() {
  return getPoolDims(*this);
}

LogicalResult StructuredPoolOp::inferReturnTypes(MLIRContext *,
                                                 std::optional<Location>,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  // C6
  SmallVector<int64_t> shape;
  for (OperandDim of : getPoolDims(adaptor))
    shape.push_back(of.size());
  auto value = cast<RankedTensorType>(adaptor.getValue().getType());
  types.push_back(RankedTensorType::get(shape, value.getElementType()));
  return success();
}

SmallVector<std::pair<OperandDim, OperandDim>>
StructuredPoolOp::getEqualDims() {
  SmallVector<std::pair<OperandDim, OperandDim>> equal;
  if (Value band = getBand())
    equal.push_back({{getValue(), 2}, {band, 1}});
  if (Value index = getErrorIndex())
    equal.push_back({{index, 0}, {getErrorValue(), 0}});
  return equal;
}

/// C2: how the band fits.
static LogicalResult verifyBand(StructuredPoolOp op, const Party &value) {
  Party band{"band", op.getBand()};
  if (failed(verifyStatic(op, band, 0, "heads")) ||
      failed(verifyStatic(op, band, 2, "width")) ||
      failed(verifyDimsAgree(op, "length", value, 2, band, 1)))
    return failure();
  int64_t width = band.type().getDimSize(2);
  if (width % 2 == 0) {
    InFlightDiagnostic error =
        op.emitOpError("expected 'band' to have an odd width, but got ")
        << width;
    return noteDefinition(error, band);
  }
  return verifyHeadsDivide(op, value, "'band'", band.type().getDimSize(0),
                           band);
}

LogicalResult StructuredPoolOp::verify() {
  Party value{"value", getValue()};
  // C1
  if (failed(verifyStatic(*this, value, 1, "heads")) ||
      failed(verifyStatic(*this, value, 3, "features")))
    return failure();
  if (value.type().getDimSize(1) == 0) {
    InFlightDiagnostic error = emitOpError("expected 'value' to have heads");
    return noteDefinition(error, value);
  }
  if (getBand() && failed(verifyBand(*this, value)))
    return failure();
  // C3
  if (getWindows() && getBand())
    return emitOpError("expected 'band' or 'windows', but got both");
  constexpr int64_t any = ShapedType::kDynamic;
  if (Value windows = getWindows())
    if (failed(verifyStatic(*this, {"windows", windows}, 1, "columns")) ||
        failed(verifyShape(*this, {"windows", windows}, {any, 3})))
      return failure();
  // C4
  if (!getErrorIndex() != !getErrorValue())
    return emitOpError("expected 'error_index' and 'error_value' together or "
                       "not at all");
  if (Value index = getErrorIndex()) {
    Party first{"error_index", index}, second{"error_value", getErrorValue()};
    if (failed(verifyStatic(*this, first, 1, "columns")) ||
        failed(verifyShape(*this, first, {any, 3})) ||
        failed(verifyDimsAgree(*this, "number of errors", first, 0, second, 0)))
      return failure();
  }
  return success();
}
