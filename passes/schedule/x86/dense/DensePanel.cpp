// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of a contraction's sides, copied as products take them.

#include "passes/schedule/x86/dense/DensePanel.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

Value DensePanel::getSize(unsigned loop) {
  Value size;
  for (const DenseOperand &side : sides) {
    if (!side.has(loop))
      continue;
    Value own = side.getSize(b, loop);
    // One side may know what the other leaves open.
    if (!size || getConstantIntValue(own))
      size = own;
  }
  return size;
}

Value DensePanel::sizeOf(ArrayRef<unsigned> loops) {
  Value size = at.value(1);
  for (unsigned loop : loops)
    size = at.mul(size, getSize(loop));
  return size;
}

void DensePanel::split(ArrayRef<unsigned> loops, Value number, Place &place) {
  if (loops.empty())
    return;
  for (unsigned loop : llvm::reverse(loops.drop_front())) {
    Value size = getSize(loop);
    place[loop] = at.rem(number, size);
    number = at.div(number, size);
  }
  place[loops.front()] = number;
}

bool DensePanel::hasVectors(const DenseOperand &operand,
                            ArrayRef<unsigned> loops) {
  if (!operand.isContiguous({loops.back()}))
    return false;
  std::optional<int64_t> innermost = getConstantIntValue(getSize(loops.back()));
  return loops.size() == 1 || (innermost && *innermost % sizes.lanes == 0);
}

Value DensePanel::pieceOf(Value panels, Value number, Value row) {
  auto type = cast<MemRefType>(panels.getType());
  int64_t rows = type.getDimSize(1), width = type.getDimSize(2);
  Value offset = at.mul(at.add(at.mul(number, rows), row), width);
  auto rowsOfPiece = arePairs ? piece / 2 : piece;
  SmallVector<OpFoldResult> extents = {b.getIndexAttr(rowsOfPiece),
                                       b.getIndexAttr(width)};
  SmallVector<OpFoldResult> strides = {b.getIndexAttr(width),
                                       b.getIndexAttr(1)};
  auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic,
                                       ArrayRef<int64_t>{width, 1});
  auto made =
      MemRefType::get({rowsOfPiece, width}, type.getElementType(), layout);
  return memref::ReinterpretCastOp::create(
      b, made, panels, OpFoldResult(offset), extents, strides);
}

/// `number` as products take it: as f32, or as it is in pairs.
Value DensePanel::asTerm(Value number) {
  Type type = number.getType();
  if (arePairs || getElementTypeOrSelf(type).isF32())
    return number;
  Type wide = b.getF32Type();
  if (auto vector = dyn_cast<VectorType>(type))
    wide = vector.clone(wide);
  return arith::ExtFOp::create(b, wide, number);
}

/// The first `count` of a vector's elements from `place` on; 0 after them.
Value DensePanel::loadVector(const DenseOperand &side, const Place &place,
                             Value count) {
  auto type = VectorType::get({sizes.lanes}, side.getElementType());
  Value isThere = vector::CreateMaskOp::create(
      b, VectorType::get({sizes.lanes}, b.getI1Type()), count);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return asTerm(vector::MaskedLoadOp::create(
      b, type, side.getBuffer(), side.getIndices(place), isThere, zero));
}

Value DensePanel::loadNumber(const DenseOperand &side, const Place &place) {
  return asTerm(
      memref::LoadOp::create(b, side.getBuffer(), side.getIndices(place)));
}

void DensePanel::copyRow(const DenseOperand &side, Place &place,
                         ArrayRef<unsigned> loops, Value first, Value end,
                         Value columns, Value tile, Value row) {
  bool areVectors = hasVectors(side, loops);
  auto type = cast<MemRefType>(tile.getType());
  Value zero = arith::ConstantOp::create(
      b, b.getZeroAttr(VectorType::get({sizes.lanes}, type.getElementType())));
  forEach(0, columns, sizes.lanes, [&](Value column) {
    Value number = at.add(first, column);
    if (areVectors) {
      split(loops, number, place);
      zero = loadVector(side, place, at.sub(end, number));
    }
    vector::StoreOp::create(b, zero, tile, ValueRange{row, column});
  });
  if (areVectors)
    return;
  forEach(0, at.min(at.sub(end, first), columns), 1, [&](Value column) {
    split(loops, at.add(first, column), place);
    memref::StoreOp::create(b, loadNumber(side, place), tile,
                            ValueRange{row, column});
  });
}

/// Makes row `pair` of a panel of pairs, of `count` terms from `first` on: the
/// lanes of two terms alternate. A term that is not there is 0.
void DensePanel::copyPair(const Place &batch, Value firstLane, Value panel,
                          Value first, Value count, Value pair) {
  Value end = sizeOf(laneLoops);
  Value term = at.add(first, at.mul(pair, 2));
  Value isPair =
      at.compare(arith::CmpIPredicate::slt, at.add(at.mul(pair, 2), 1), count);
  bool areVectors = hasVectors(right, laneLoops);
  Place place = batch, next = batch;
  split(termLoops, term, place);
  split(termLoops, at.add(term, 1), next);
  forEachLane([&](Value lane) {
    Value number = at.add(firstLane, lane);
    Value both;
    if (areVectors) {
      split(laneLoops, number, place);
      split(laneLoops, number, next);
      Value some = at.sub(end, number);
      Value others = arith::SelectOp::create(b, isPair, some, at.value(0));
      both = vector::InterleaveOp::create(b, loadVector(right, place, some),
                                          loadVector(right, next, others));
    } else {
      auto type = VectorType::get({2 * sizes.lanes}, b.getBF16Type());
      both = arith::ConstantOp::create(b, b.getZeroAttr(type));
    }
    vector::StoreOp::create(b, both, panel, ValueRange{pair, at.mul(lane, 2)});
  });
  if (areVectors)
    return;
  Value some = at.min(at.sub(end, firstLane), sizes.width);
  auto copy = [&](Place &from, int64_t half) {
    forEach(0, some, 1, [&](Value lane) {
      split(laneLoops, at.add(firstLane, lane), from);
      memref::StoreOp::create(b, loadNumber(right, from), panel,
                              ValueRange{pair, at.add(at.mul(lane, 2), half)});
    });
  };
  copy(place, 0);
  auto choice = scf::IfOp::create(b, isPair);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  copy(next, 1);
}

void DensePanel::emitPanel(const Place &batch, Value firstLane, Value panel,
                           Value first, Value count) {
  Value end = sizeOf(laneLoops);
  if (!hasVectors(right, laneLoops) && right.isEven(laneLoops) &&
      right.isContiguous(termLoops)) {
    Value matrix = right.makeMatrix(b, laneLoops, termLoops, batch);
    Value some = at.min(at.sub(end, firstLane), sizes.width);
    tile::PackOp::create(b, matrix, firstLane, first, some, count,
                         b.getF32FloatAttr(1.0), panel);
    return;
  }
  if (arePairs)
    return forEach(0, at.div(at.add(count, 1), 2), 1, [&](Value pair) {
      copyPair(batch, firstLane, panel, first, count, pair);
    });
  forEach(0, count, 1, [&](Value row) {
    Place place = batch;
    split(termLoops, at.add(first, row), place);
    copyRow(right, place, laneLoops, firstLane, end, at.value(sizes.width),
            panel, row);
  });
}
