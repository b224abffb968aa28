// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The products of a tile, and its left side as they take it.

#include "passes/schedule/x86/dense/DenseTile.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

/// Copies `count` terms from `first` on of the tile's rows from `from` to
/// before `to`; 0 follows them up to whole vectors, or to a step of AMX.
void DenseTile::emitLeft(Value first, Value count, Value from, Value to) {
  int64_t step = isAmx() ? tile::amxTerms : sizes.lanes;
  Value columns = at.mul(at.div(at.add(count, step - 1), step), step);
  forEach(from, to, 1, [&](Value row) {
    Place place = batch;
    split(op.rows, at.add(firstRow, row), place);
    Value copied = leftSide == LeftSide::Copied ? row : at.sub(row, from);
    copyRow(*left, place, op.depths, first, at.add(first, count), columns,
            leftTile, copied);
  });
}

void DenseTile::copyLeft(const Place &batch, Value first, Value rows,
                         Value columns, Value to) {
  forEach(0, rows, 1, [&](Value row) {
    Place place = batch;
    split(op.rows, at.add(first, row), place);
    copyRow(*left, place, op.depths, at.value(0), sizeOf(op.depths), columns,
            to, row);
  });
}

/// `rows` rows and `columns` columns of `matrix`, from `row` and `column` on.
Value DenseTile::partOf(Value matrix, OpFoldResult row, OpFoldResult column,
                        OpFoldResult rows, OpFoldResult columns) {
  SmallVector<OpFoldResult> offsets = {row, column}, extents = {rows, columns};
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  return memref::SubViewOp::create(b, matrix, offsets, extents, strides);
}

/// Adds the products of `left` from row `leftRow` on with all panels to the
/// sums of `rows` rows from `row` on.
void DenseTile::emitProduct(Value left, Value leftRow, Value row, int64_t rows,
                            const tile::ProductClauses &clauses) {
  Value sums = rowsOf(sumTile, row, rows);
  for (auto [i, right] : llvm::enumerate(lanes)) {
    Value own = sums;
    if (panels > 1)
      own = partOf(sums, b.getIndexAttr(0), b.getIndexAttr(i * sizes.width),
                   b.getIndexAttr(rows), b.getIndexAttr(sizes.width));
    tile::ProductOp::create(b, left, leftRow, right, own, clauses);
  }
}

/// What the block of rows from `row` on asks for while it multiplies, an
/// `askedPiece` of terms: half of their lanes, and the block after it the other
/// half. Rows of a right side that is read as it lies may all be in the same
/// few sets of the first cache: they are asked for shortly before they are
/// read.
Value DenseTile::askedBy(Value row) {
  constexpr int64_t fewAhead = 8;
  int64_t half = llvm::divideCeil(sizes.vectors(), 2);
  Value isOdd = at.rem(at.div(row, sizes.rows), 2);
  Value lane = at.mul(isOdd, (sizes.vectors() - half) * sizes.lanes);
  return partOf(lanes.front(), b.getIndexAttr(isPacked ? askedPiece : fewAhead),
                lane, b.getIndexAttr(askedPiece),
                b.getIndexAttr(half * sizes.lanes));
}

/// Adds the products of `count` terms from `first` on to the sums of `rows`
/// rows from `row` on. Where they are the last ones, some may not be there:
/// what stands in their place is not stored.
void DenseTile::emitBlock(Value row, int64_t rows, Value first, Value count,
                          bool areLast) {
  tile::ProductClauses clauses;
  clauses.count = arePairs ? at.div(at.add(count, 1), 2) : count;
  clauses.accumulates = !sumsBegin;
  clauses.isAmx = isAmx();
  clauses.ahead = sizes.ahead;
  if (asksNext)
    clauses.asked = askedBy(row);
  if (areLast && (leftSide == LeftSide::Terms ||
                  (leftSide == LeftSide::Rows && isAmx()))) {
    emitLeft(first, count, row, at.min(at.add(row, rows), here));
    return emitProduct(leftTile, at.value(0), row, rows, clauses);
  }
  if (leftSide == LeftSide::Copied)
    return emitProduct(leftTile, row, row, rows, clauses);
  if (leftSide == LeftSide::Held) {
    Value made =
        partOf(leftTile, b.getIndexAttr(0), first,
               memref::getMixedSize(b, b.getLoc(), leftTile, 0), count);
    return emitProduct(made, row, row, rows, clauses);
  }
  Value leftRow = at.add(firstRow, row);
  if (leftSide == LeftSide::Terms) {
    Value matrix = left->makeMatrix(b, op.depths, op.rows, batch);
    matrix = partOf(matrix, b.getIndexAttr(0), leftRow, sizeOf(op.depths),
                    b.getIndexAttr(rows));
    clauses.isTransposed = true;
    return emitProduct(matrix, first, row, rows, clauses);
  }
  Value matrix = left->makeMatrix(b, op.rows, op.depths, batch);
  matrix = partOf(matrix, b.getIndexAttr(0), first, sizeOf(op.rows), count);
  if (areLast)
    clauses.last = at.sub(sizeOf(op.rows), 1);
  emitProduct(matrix, leftRow, row, rows, clauses);
}

/// Adds the products of `count` terms from `first` on to the sums of the last
/// rows from `row` on, by AMX: of one square of them, or of two.
void DenseTile::emitLastSquares(Value row, Value first, Value count) {
  auto emitRows = [&](int64_t rows) {
    emitBlock(row, rows, first, count, /*areLast=*/true);
  };
  Value areFew = at.compare(arith::CmpIPredicate::sle,
                            at.rem(sizeOf(op.rows), sizes.rows), tile::amxSide);
  if (std::optional<int64_t> known = getConstantIntValue(areFew))
    return emitRows(*known ? tile::amxSide : sizes.rows);
  auto choice = scf::IfOp::create(b, areFew, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  emitRows(tile::amxSide);
  b.setInsertionPointToStart(choice.elseBlock());
  emitRows(sizes.rows);
}

/// Adds the products of `count` terms from `first` on to the sums of `rows` of
/// the last rows, from `row` on, where there are so many: they read a panel
/// less often. Gives the row after them.
Value DenseTile::emitMore(Value row, int64_t rows, Value first, Value count) {
  Value end = at.add(row, rows);
  Value areThere = at.compare(arith::CmpIPredicate::sle, end, here);
  auto choice = scf::IfOp::create(b, areThere);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  emitBlock(row, rows, first, count, /*areLast=*/false);
  b.setInsertionPointAfter(choice);
  return b.createOrFold<arith::SelectOp>(areThere, end, row);
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
  if (isAmx())
    return emitLastSquares(row, first, count);
  // With fewer sums a multiply-add would wait for the one before.
  constexpr int64_t fewestSums = 8;
  int64_t few = llvm::divideCeil(fewestSums, sizes.vectors());
  while (sizes.rows % few)
    ++few;
  if (asksNext && 2 * few < sizes.rows)
    row = emitMore(row, 2 * few, first, count);
  forEach(row, here, few, [&](Value each) {
    emitBlock(each, few, first, count, /*areLast=*/true);
  });
}
