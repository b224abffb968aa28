// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both sides of a contraction, as products take them.

#include "passes/schedule/x86/dense/DenseTile.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

/// `number` as products take it: as f32, or as it is in pairs.
Value DenseTile::asTerm(Value number) {
  Type type = number.getType();
  if (arePairs || getElementTypeOrSelf(type).isF32())
    return number;
  Type wide = b.getF32Type();
  if (auto vector = dyn_cast<VectorType>(type))
    wide = vector.clone(wide);
  return arith::ExtFOp::create(b, wide, number);
}

/// The first `count` of a vector's elements from `place` on; 0 after them.
Value DenseTile::loadVector(const DenseOperand &side, const Place &place,
                            Value count) {
  auto type = VectorType::get({sizes.lanes}, side.getElementType());
  Value isThere = vector::CreateMaskOp::create(
      b, VectorType::get({sizes.lanes}, b.getI1Type()), count);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return asTerm(vector::MaskedLoadOp::create(
      b, type, side.getBuffer(), side.getIndices(place), isThere, zero));
}

Value DenseTile::loadNumber(const DenseOperand &side, const Place &place) {
  return asTerm(
      memref::LoadOp::create(b, side.getBuffer(), side.getIndices(place)));
}

/// Copies elements of `side` from turn `first` of `loops` on to row `row` of
/// `tile`; other loops stand at `place`. Where there are none, from `end` on,
/// the `columns` of the row are 0.
void DenseTile::copyRow(const DenseOperand &side, Place &place,
                        ArrayRef<unsigned> loops, Value first, Value end,
                        int64_t columns, Value tile, Value row) {
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
void DenseTile::copyPair(Place &place, Value first, Value count, Value pair) {
  Value end = sizeOf(op.lanes);
  Value term = at.add(first, at.mul(pair, 2));
  Value isPair =
      at.compare(arith::CmpIPredicate::slt, at.add(at.mul(pair, 2), 1), count);
  bool areVectors = hasVectors(right, op.lanes);
  Place next = place;
  split(op.depths, term, place);
  split(op.depths, at.add(term, 1), next);
  forEachLane([&](Value lane) {
    Value number = at.add(firstLane, lane);
    Value both;
    if (areVectors) {
      split(op.lanes, number, place);
      split(op.lanes, number, next);
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
      split(op.lanes, at.add(firstLane, lane), from);
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

/// Packs `count` terms of the right side from `first` on: a row of lanes each,
/// with zeros in lanes that it does not have.
void DenseTile::emitPanel(Value first, Value count) {
  Value end = sizeOf(op.lanes);
  if (!hasVectors(right, op.lanes) && right.isEven(op.lanes) &&
      right.isContiguous(op.depths)) {
    Value matrix = right.makeMatrix(b, op.lanes, op.depths, batch);
    Value some = at.min(at.sub(end, firstLane), sizes.width);
    tile::PackOp::create(b, matrix, firstLane, first, some, count,
                         b.getF32FloatAttr(1.0), panel);
    return;
  }
  if (arePairs)
    return forEach(0, at.div(at.add(count, 1), 2), 1, [&](Value pair) {
      Place place = batch;
      copyPair(place, first, count, pair);
    });
  forEach(0, count, 1, [&](Value row) {
    Place place = batch;
    split(op.depths, at.add(first, row), place);
    copyRow(right, place, op.lanes, firstLane, end, sizes.width, panel, row);
  });
}

/// Copies `count` terms from `first` on of the tile's rows from `from` to
/// before `to`.
void DenseTile::emitLeft(Value first, Value count, Value from, Value to) {
  forEach(from, to, 1, [&](Value row) {
    Place place = batch;
    split(op.rows, at.add(firstRow, row), place);
    Value copied = leftSide == LeftSide::Copied ? row : at.sub(row, from);
    copyRow(left, place, op.depths, first, at.add(first, count), piece,
            leftTile, copied);
  });
}

/// Adds the products of `count` terms from `first` on to the sums of `rows`
/// rows from `row` on. Where they are the last ones, some may not be there:
/// what stands in their place is not stored.
void DenseTile::emitBlock(Value row, int64_t rows, Value first, Value count,
                          bool areLast) {
  Value sums = rowsOf(sumTile, row, rows);
  tile::ProductClauses clauses;
  clauses.count = arePairs ? at.div(at.add(count, 1), 2) : count;
  clauses.accumulates = !areSumsWhole;
  if (leftSide == LeftSide::Terms && areLast) {
    emitLeft(first, count, row, at.min(at.add(row, rows), here));
    tile::ProductOp::create(b, leftTile, at.value(0), lanes, sums, clauses);
    return;
  }
  if (leftSide == LeftSide::Copied) {
    tile::ProductOp::create(b, leftTile, row, lanes, sums, clauses);
    return;
  }
  auto part = [&](Value matrix, OpFoldResult row, OpFoldResult column,
                  OpFoldResult rows, OpFoldResult columns) -> Value {
    SmallVector<OpFoldResult> offsets = {row, column};
    SmallVector<OpFoldResult> extents = {rows, columns};
    SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
    return memref::SubViewOp::create(b, matrix, offsets, extents, strides);
  };
  Value leftRow = at.add(firstRow, row);
  if (leftSide == LeftSide::Terms) {
    Value matrix = left.makeMatrix(b, op.depths, op.rows, batch);
    matrix = part(matrix, b.getIndexAttr(0), leftRow, sizeOf(op.depths),
                  b.getIndexAttr(rows));
    clauses.isTransposed = true;
    tile::ProductOp::create(b, matrix, first, lanes, sums, clauses);
    return;
  }
  Value matrix = left.makeMatrix(b, op.rows, op.depths, batch);
  matrix = part(matrix, b.getIndexAttr(0), first, sizeOf(op.rows), count);
  if (areLast)
    clauses.last = at.sub(sizeOf(op.rows), 1);
  tile::ProductOp::create(b, matrix, leftRow, lanes, sums, clauses);
}

/// Adds the products of `count` terms from `first` on to the sums of a block of
/// rows, or of the last ones a few at a time.
void DenseTile::emitProducts(Value row, Value first, Value count) {
  // Tiles begin at a multiple of a block's rows.
  std::optional<int64_t> known = getConstantIntValue(sizeOf(op.rows));
  if (sizes.rows == 1 || (known && *known % sizes.rows == 0))
    return emitBlock(row, sizes.rows, first, count, /*areLast=*/false);
  Value end = at.add(row, sizes.rows);
  auto choice =
      scf::IfOp::create(b, at.compare(arith::CmpIPredicate::sle, end, here),
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  emitBlock(row, sizes.rows, first, count, /*areLast=*/false);
  b.setInsertionPointToStart(choice.elseBlock());
  // With fewer sums a multiply-add would wait for the one before.
  constexpr int64_t fewestSums = 8;
  int64_t few = llvm::divideCeil(fewestSums, sizes.vectors());
  while (sizes.rows % few)
    ++few;
  forEach(row, here, few, [&](Value each) {
    emitBlock(each, few, first, count, /*areLast=*/true);
  });
}
