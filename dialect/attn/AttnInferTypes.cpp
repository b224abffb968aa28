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
  auto reify = [&](Value result, ArrayRef<std::pair<Value, int64_t>> from) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, source] : llvm::enumerate(from))
      sizes.push_back(
          type.isDynamicDim(dim)
              ? tensor::getMixedSize(builder, loc, source.first, source.second)
              : OpFoldResult(builder.getIndexAttr(type.getDimSize(dim))));
    shapes.push_back(std::move(sizes));
  };
  Value query = attention.getQuery();
  // Heads are static.
  std::pair<Value, int64_t> batch(query, 0), heads(query, 1), queries(query, 2);
  reify(attention.getResult(),
        {batch, heads, queries, {attention.getValue(), 3}});
  if (Value weights = attention.getWeights())
    reify(weights, {batch,
                    heads,
                    queries,
                    {attention.getKey(), attention.getKeyLengthDim()}});
  if (Value lse = attention.getLse())
    reify(lse, {batch, heads, queries});
  return success();
}
