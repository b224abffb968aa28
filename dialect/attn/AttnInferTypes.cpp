// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Result types and result sizes of attention ops.

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

int64_t mixattn::detail::getOutputHeads(Value query, Value premixer, Value w2) {
  Value columns = premixer ? premixer : w2 ? w2 : query;
  auto type = dyn_cast<RankedTensorType>(columns.getType());
  return type && type.getRank() > 1 ? type.getDimSize(1) : ShapedType::kDynamic;
}

LogicalResult
mixattn::detail::inferAttentionTypes(Value query, Value key, Value value,
                                     int64_t heads, ArrayRef<int32_t> segments,
                                     SmallVectorImpl<Type> &types) {
  auto queryType = dyn_cast<RankedTensorType>(query.getType());
  auto keyType = dyn_cast<RankedTensorType>(key.getType());
  auto valueType = dyn_cast<RankedTensorType>(value.getType());
  if (!queryType || queryType.getRank() != 4 || !keyType ||
      keyType.getRank() < 4 || !valueType || valueType.getRank() != 4)
    return failure();
  int64_t batch = ShapedType::kDynamic;
  for (RankedTensorType type : {queryType, keyType, valueType})
    if (!type.isDynamicDim(0))
      batch = type.getDimSize(0);
  int64_t queries = queryType.getDimSize(2);
  int64_t keys = keyType.getDimSize(keyType.getRank() - 2);
  Type f32 = Float32Type::get(query.getContext());
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
                                                  TypeRange given) {
  return inferred.size() == given.size() &&
         llvm::all_of(llvm::zip_equal(inferred, given), [](auto pair) {
           auto a = cast<RankedTensorType>(std::get<0>(pair));
           auto b = dyn_cast<RankedTensorType>(std::get<1>(pair));
           return b && a.getElementType() == b.getElementType() &&
                  succeeded(verifyCompatibleShape(a, b));
         });
}

LogicalResult
mixattn::detail::reifyAttentionShapes(OpBuilder &builder, Operation *op,
                                      ReifiedRankedShapedTypeDims &shapes) {
  auto attention = cast<AttentionOpInterface>(op);
  Location loc = op->getLoc();
  Value query = attention.getQuery();
  OpFoldResult batch = tensor::getMixedSize(builder, loc, query, 0);
  OpFoldResult heads = builder.getIndexAttr(attention.getNumHeads());
  OpFoldResult queries = tensor::getMixedSize(builder, loc, query, 2);
  OpFoldResult keys = tensor::getMixedSize(builder, loc, attention.getKey(),
                                           attention.getKeyLengthDim());
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
