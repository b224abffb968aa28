// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Result types and result sizes of attention ops.

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

LogicalResult
mixattn::detail::inferAttentionType(Value query, Value key, Value value,
                                    SmallVectorImpl<Type> &types) {
  auto queryType = dyn_cast<RankedTensorType>(query.getType());
  auto keyType = dyn_cast<RankedTensorType>(key.getType());
  auto valueType = dyn_cast<RankedTensorType>(value.getType());
  for (RankedTensorType type : {queryType, keyType, valueType})
    if (!type || type.getRank() != 4)
      return failure();
  int64_t batch = ShapedType::kDynamic;
  for (RankedTensorType type : {queryType, keyType, valueType})
    if (!type.isDynamicDim(0))
      batch = type.getDimSize(0);
  types.push_back(RankedTensorType::get({batch, queryType.getDimSize(1),
                                         queryType.getDimSize(2),
                                         valueType.getDimSize(3)},
                                        valueType.getElementType()));
  return success();
}

bool mixattn::detail::isCompatibleAttentionType(TypeRange inferred,
                                                TypeRange given) {
  if (inferred.size() != 1 || given.size() != 1)
    return false;
  auto a = cast<RankedTensorType>(inferred.front());
  auto b = dyn_cast<RankedTensorType>(given.front());
  return b && a.getElementType() == b.getElementType() &&
         succeeded(verifyCompatibleShape(a, b));
}

LogicalResult
mixattn::detail::reifyAttentionShape(OpBuilder &builder, Operation *op,
                                     ReifiedRankedShapedTypeDims &shapes) {
  auto attention = cast<AttentionOpInterface>(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < 4; ++dim)
    sizes.push_back(
        type.isDynamicDim(dim)
            ? tensor::getMixedSize(
                  builder, op->getLoc(),
                  dim == 3 ? attention.getValue() : attention.getQuery(), dim)
            : OpFoldResult(builder.getIndexAttr(type.getDimSize(dim))));
  shapes.push_back(std::move(sizes));
  return success();
}
