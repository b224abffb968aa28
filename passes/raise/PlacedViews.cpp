// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How integers of views and of parts side by side follow from their places.

#include "passes/raise/PlacedReader.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mixattn;

std::optional<PlacedInteger>
PlacedReader::readView(Operation *op, ArrayRef<PlacedInteger> places) {
  DenseIntElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)) && constant.isSplat()) {
    APInt number = constant.getSplatValue<APInt>();
    return integers.number(number.getBitWidth() == 1 ? number.getZExtValue()
                                                     : number.getSExtValue());
  }
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return isa<RankedTensorType>(cast.getSource().getType())
               ? read(cast.getSource(), places)
               : integers.unknown(places);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    SmallVector<PlacedInteger> inner;
    for (const ReassociationIndices &group : expand.getReassociationIndices()) {
      PlacedInteger joined = integers.number(0);
      for (int64_t dim : group) {
        Size size = Size::of(expand.getResult(), dim);
        // Dims of size 1 have the index 0.
        if (size.number != 1)
          joined = integers.sum(integers.product(joined, integers.size(size)),
                                places[dim]);
      }
      inner.push_back(joined);
    }
    return read(expand.getSrc(), inner);
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    RankedTensorType type = collapse.getSrcType();
    SmallVector<PlacedInteger> inner(type.getRank(), integers.number(0));
    for (auto [group, place] :
         llvm::zip_equal(collapse.getReassociationIndices(), places)) {
      ReassociationIndices own = group;
      llvm::erase_if(own,
                     [&](int64_t dim) { return type.getDimSize(dim) == 1; });
      for (int64_t dim : own)
        inner[dim] = own.size() == 1 ? place : integers.unknown(place);
    }
    return read(collapse.getSrc(), inner);
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<PlacedInteger> inner;
    for (auto [dim, offset, stride] :
         llvm::enumerate(slice.getMixedOffsets(), slice.getMixedStrides())) {
      PlacedInteger place = integers.size(Size::of(offset));
      if (!dropped.test(dim)) {
        place = integers.sum(
            place,
            integers.product(places.front(), integers.size(Size::of(stride))));
        places = places.drop_front();
      }
      inner.push_back(place);
    }
    return read(slice.getSource(), inner);
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return readPieces(insert, places);
  return std::nullopt;
}

namespace {

/// A tensor that fills part of a dim of another.
struct Piece {
  Value tensor;
  PlacedInteger begin, size;

  bool isSingle() const { return size.isNumber(1); }
};

/// Tensors side by side along a dim, the last written first: it lies on top of
/// the others.
struct Pieces {
  unsigned along;
  SmallVector<Piece> all;
};

} // namespace

/// The only dim that `insert` does not fill, or none.
static std::optional<unsigned> dimOf(PlacedIntegers &integers,
                                     tensor::InsertSliceOp insert) {
  std::optional<unsigned> along;
  RankedTensorType type = insert.getSourceType();
  if (!insert.hasUnitStride() || type.getRank() != insert.getType().getRank())
    return std::nullopt;
  for (auto [dim, size] : llvm::enumerate(insert.getMixedSizes())) {
    PlacedInteger whole = integers.size(Size::of(insert.getDest(), dim));
    if (integers.size(Size::of(size)).isSame(whole))
      continue;
    if (along)
      return std::nullopt;
    along = dim;
  }
  return along;
}

static std::optional<Pieces> findPieces(PlacedIntegers &integers,
                                        tensor::InsertSliceOp last) {
  std::optional<unsigned> along = dimOf(integers, last);
  if (!along)
    return std::nullopt;
  Pieces pieces{*along, {}};
  Value whole = last.getResult();
  while (auto insert = whole.getDefiningOp<tensor::InsertSliceOp>()) {
    if (dimOf(integers, insert) != along)
      return std::nullopt;
    pieces.all.push_back(
        {insert.getSource(),
         integers.size(Size::of(insert.getMixedOffsets()[*along])),
         integers.size(Size::of(insert.getMixedSizes()[*along]))});
    whole = insert.getDest();
  }
  // Elements that nothing was written to may be any.
  if (!whole.getDefiningOp<tensor::EmptyOp>())
    pieces.all.push_back(
        {whole, integers.number(0), integers.size(Size::of(whole, *along))});
  return pieces;
}

PlacedInteger PlacedReader::readPieces(tensor::InsertSliceOp last,
                                       ArrayRef<PlacedInteger> places) {
  PlacedInteger other = integers.unknown(places);
  std::optional<Pieces> pieces = findPieces(integers, last);
  if (!pieces)
    return other;
  unsigned along = pieces->along;
  const PlacedInteger &place = places[along];
  SmallVector<PlacedInteger> inner(places);
  auto isAtLeast = [&](const PlacedInteger &a, const PlacedInteger &b) {
    return integers.isAtLeastZero(integers.sum(a, b, -1));
  };
  // The piece that the place is known to lie in.
  for (const Piece &piece : pieces->all) {
    PlacedInteger end = integers.sum(piece.begin, piece.size);
    PlacedInteger next = integers.sum(place, integers.number(1));
    if (isAtLeast(place, piece.begin) && isAtLeast(end, next)) {
      inner[along] = integers.sum(place, piece.begin, -1);
      return read(piece.tensor, inner);
    }
    if (!isAtLeast(piece.begin, next) && !isAtLeast(place, end))
      break;
  }
  // Or all pieces hold one function of the place.
  unsigned index =
      integers.addIndex(integers.size(Size::of(last.getResult(), along)));
  PlacedInteger variable = integers.variable(index);
  std::optional<PlacedInteger> function;
  bool areSingle = llvm::all_of(
      pieces->all, [](const Piece &each) { return each.isSingle(); });
  for (const Piece &piece : pieces->all) {
    if (piece.isSingle() && !areSingle)
      continue;
    unsigned own = integers.addIndex(piece.size);
    inner[along] = integers.variable(own);
    PlacedInteger element =
        integers.replace(read(piece.tensor, inner), own,
                         integers.sum(variable, piece.begin, -1));
    if (element.hasOthers || (function && !function->isSame(element)))
      return other;
    function = element;
  }
  // A piece of one element knows one number of the function.
  inner[along] = integers.number(0);
  for (const Piece &piece : pieces->all)
    if (piece.isSingle() &&
        !read(piece.tensor, inner)
             .isSame(integers.replace(*function, index, piece.begin)))
      return other;
  return integers.replace(*function, index, place);
}
