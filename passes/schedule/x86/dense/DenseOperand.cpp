// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the loops of a contraction walk over a buffer.

#include "passes/schedule/x86/dense/DenseOperand.h"

#include "passes/body/IndexMath.h"

using namespace mlir;
using namespace mixattn;

Value DenseOperand::getSize(ImplicitLocOpBuilder &b, unsigned loop) const {
  return b.createOrFold<memref::DimOp>(buffer, *findLoop(map, loop));
}

std::optional<int64_t>
DenseOperand::getKnownSize(ArrayRef<unsigned> loops) const {
  int64_t size = 1;
  for (unsigned loop : loops) {
    unsigned dim = *findLoop(map, loop);
    if (getType().isDynamicDim(dim))
      return std::nullopt;
    size *= getType().getDimSize(dim);
  }
  return size;
}

bool DenseOperand::isEven(ArrayRef<unsigned> loops) const {
  // Gaps between rows would be gaps in what several loops walk over.
  if (loops.size() > 1 && !getType().getLayout().isIdentity())
    return false;
  std::optional<unsigned> first = findLoop(map, loops.front());
  for (auto [i, loop] : llvm::enumerate(loops))
    if (!first || findLoop(map, loop) != *first + i)
      return false;
  return true;
}

bool DenseOperand::isContiguous(ArrayRef<unsigned> loops) const {
  return isEven(loops) &&
         findLoop(map, loops.back()) == map.getNumResults() - 1;
}

SmallVector<Value> DenseOperand::getIndices(const Place &place) const {
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(place.lookup(cast<AffineDimExpr>(expr).getPosition()));
  return indices;
}

Value DenseOperand::makeMatrix(ImplicitLocOpBuilder &b, ArrayRef<unsigned> rows,
                               ArrayRef<unsigned> columns, const Place &place,
                               ArrayRef<int64_t> shape) const {
  IndexMath at(b);
  auto layout = memref::ExtractStridedMetadataOp::create(b, buffer);
  SmallVector<int64_t> known;
  int64_t knownOffset;
  std::tie(known, knownOffset) = getType().getStridesAndOffset();
  auto strideOf = [&](unsigned dim) {
    return ShapedType::isDynamic(known[dim]) ? layout.getStrides()[dim]
                                             : at.value(known[dim]);
  };
  Value offset = ShapedType::isDynamic(knownOffset) ? layout.getOffset()
                                                    : at.value(knownOffset);
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (!llvm::is_contained(rows, loop) && !llvm::is_contained(columns, loop))
      offset = at.add(offset, at.mul(place.lookup(loop), strideOf(dim)));
  }
  SmallVector<OpFoldResult> sizes, strides;
  std::array<ArrayRef<unsigned>, 2> both = {rows, columns};
  for (auto [i, loops] : llvm::enumerate(both)) {
    Value size = at.value(1);
    for (unsigned loop : loops)
      size = at.mul(size, getSize(b, loop));
    sizes.push_back(shape.empty() ? getAsOpFoldResult(size)
                                  : b.getIndexAttr(shape[i]));
    strides.push_back(
        getAsOpFoldResult(strideOf(*findLoop(map, loops.back()))));
  }
  OpFoldResult begin = getAsOpFoldResult(offset);
  auto asNumber = [](OpFoldResult each) {
    return getConstantIntValue(each).value_or(ShapedType::kDynamic);
  };
  auto type = MemRefType::get(
      {asNumber(sizes[0]), asNumber(sizes[1])}, getElementType(),
      StridedLayoutAttr::get(b.getContext(), asNumber(begin),
                             {asNumber(strides[0]), asNumber(strides[1])}));
  return memref::ReinterpretCastOp::create(b, type, layout.getBaseBuffer(),
                                           begin, sizes, strides);
}
