// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of the text.
#include "lib/Import/Constant.h"

#include "lib/Import/Diagonal.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cstring>

using namespace mlir;
using namespace mixattn;

Built mixattn::buildConstant(GraphBuilder &build, const GraphValue &type,
                             const Tensor &weight) {
  size_t width = bytesOf(weight.dtype());
  SizeList integers;
  if (!isFloat(type.dtype) && weight.elements() <= mostListed)
    for (int64_t i = 0; i < weight.elements(); ++i)
      integers.push_back(weight.integer(i));
  if (!weight.elements())
    return build.listed(type.dtype, type.sizes, integers);
  bool isSame = true;
  for (int64_t i = 1; i < weight.elements(); ++i)
    isSame &= !std::memcmp(weight.data(), weight.data() + i * width, width);
  if (isSame)
    return isFloat(type.dtype)
               ? build.filled(type.dtype, type.sizes, weight.number(0))
               : build.filledInteger(type.dtype, type.sizes, weight.integer(0));
  std::optional<Diagonal> diagonal = findDiagonal(weight);
  if (diagonal && weight.elements() > mostListed)
    return buildDiagonal(build, weight, *diagonal);
  RankedTensorType tensor = build.typeOf(type.dtype, type.sizes);
  SmallVector<Attribute> elements;
  OpBuilder &b = build.builder();
  for (int64_t i = 0; i < weight.elements(); ++i)
    if (isFloat(type.dtype))
      elements.push_back(
          b.getFloatAttr(tensor.getElementType(), weight.number(i)));
    else if (type.dtype == DType::I1)
      elements.push_back(b.getBoolAttr(weight.integer(i)));
    else
      elements.push_back(
          b.getIntegerAttr(tensor.getElementType(), weight.integer(i)));
  Value value = arith::ConstantOp::create(
      b, build.location(), DenseElementsAttr::get(tensor, elements));
  Built result = {type.dtype, type.sizes, value};
  if (!integers.empty())
    result.integers = integers;
  return result;
}
