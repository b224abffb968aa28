// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Result types and result sizes of attention ops.

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

/// Size `dim` of `value`, counted from the end where it is negative; dynamic
/// where there is no such dimension.
static int64_t sizeOf(Value value, int64_t dim) {
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : nullptr;
  if (!type)
    return ShapedType::kDynamic;
  if (dim < 0)
    dim += type.getRank();
  return dim >= 0 && dim < type.getRank() ? type.getDimSize(dim)
                                          : ShapedType::kDynamic;
}

int64_t mixattn::detail::getOutputHeads(const ShapingOperands &operands) {
  if (Value mixer = operands.premixer) {
    auto type = dyn_cast<RankedTensorType>(mixer.getType());
    bool isShared = type && type.getRank() == 1;
    return sizeOf(isShared ? operands.value : mixer, 1);
  }
  if (operands.w2)
    return sizeOf(operands.w2, 1);
  return sizeOf(operands.query ? operands.query : operands.scores, 1);
}

LogicalResult
mixattn::detail::inferAttentionTypes(const ShapingOperands &operands,
                                     ArrayRef<int32_t> segments,
                                     SmallVectorImpl<Type> &types) {
  auto valueType = dyn_cast<RankedTensorType>(operands.value.getType());
  Value rows = operands.query ? operands.query : operands.scores;
  Value columns = operands.key ? operands.key : operands.scores;
  if (!rows || !columns || !valueType || valueType.getRank() != 4)
    return failure();
  int64_t batch = ShapedType::kDynamic;
  for (Value operand : {rows, columns, operands.value})
    if (!ShapedType::isDynamic(sizeOf(operand, 0)))
      batch = sizeOf(operand, 0);
  int64_t heads = getOutputHeads(operands), queries = sizeOf(rows, 2);
  int64_t keys = sizeOf(columns, columns == operands.scores ? -1 : -2);
  if (operands.keyProjection)
    keys = sizeOf(operands.keyProjection, 0);
  Type f32 = Float32Type::get(valueType.getContext());
  types.push_back(
      RankedTensorType::get({batch, heads, queries, valueType.getDimSize(3)},
                            valueType.getElementType()));
  if (segments[1])
    types.push_back(RankedTensorType::get({batch, heads, queries, keys}, f32));
  if (segments[2])
    types.push_back(RankedTensorType::get({batch, heads, queries}, f32));
  return success();
}

bool mixattn::detail::areCompatibleAttentionTypes(TypeRange inferred,
                                                  TypeRange given,
                                                  bool mayBeWide,
                                                  bool mayBeNarrow) {
  return inferred.size() == given.size() &&
         llvm::all_of(llvm::zip_equal(inferred, given), [&](auto pair) {
           auto a = cast<RankedTensorType>(std::get<0>(pair));
           auto b = dyn_cast<RankedTensorType>(std::get<1>(pair));
           return b &&
                  (a.getElementType() == b.getElementType() ||
                   (mayBeWide && b.getElementType().isF32()) ||
                   (mayBeNarrow && a.getElementType().isF32() &&
                    isa<FloatType>(b.getElementType()))) &&
                  succeeded(verifyCompatibleShape(a, b));
         });
}

LogicalResult
mixattn::detail::reifyAttentionShapes(OpBuilder &builder, Operation *op,
                                      ReifiedRankedShapedTypeDims &shapes) {
  auto attention = cast<AttentionOpInterface>(op);
  Location loc = op->getLoc();
  auto sizeOf = [&](OperandDim of) {
    return tensor::getMixedSize(builder, loc, of.value, of.dim);
  };
  OpFoldResult batch = sizeOf(attention.getBatchDim());
  OpFoldResult heads = builder.getIndexAttr(attention.getNumHeads());
  OpFoldResult queries = sizeOf(attention.getQueriesDim());
  OpFoldResult keys = sizeOf(attention.getKeysDim());
  OpFoldResult features =
      tensor::getMixedSize(builder, loc, attention.getValue(), 3);
  auto reify = [&](Value result, ArrayRef<OpFoldResult> sizes) {
    // Where a result's type says more than the operands do, it holds.
    auto type = cast<RankedTensorType>(result.getType());
    shapes.emplace_back(sizes);
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!type.isDynamicDim(dim))
        shapes.back()[dim] = builder.getIndexAttr(type.getDimSize(dim));
  };
  reify(attention.getResult(), {batch, heads, queries, features});
  if (Value weights = attention.getWeights())
    reify(weights, {batch, heads, queries, keys});
  if (Value lse = attention.getLse())
    reify(lse, {batch, heads, queries});
  return success();
}
