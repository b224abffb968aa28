// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of both sides of a contraction, as a product takes them.

#include "passes/schedule/x86/dense/DenseTile.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

DenseTile::Layout DenseTile::layoutOf(AffineMap map, unsigned row,
                                      unsigned depth) {
  unsigned last = map.getNumResults() - 1;
  if (findLoop(map, row) == last)
    return Layout::Rows;
  return findLoop(map, depth) == last ? Layout::Terms : Layout::Other;
}

/// The indices of the tile's first element in an operand.
SmallVector<Value> DenseTile::indicesOf(AffineMap map) {
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(place.lookup(cast<AffineDimExpr>(expr).getPosition()));
  return indices;
}

/// `buffer` at the tile's place, as a matrix over loops `outer` and `inner`, of
/// which `inner` is its innermost dimension.
Value DenseTile::at2D(Value buffer, AffineMap map, unsigned outer,
                      unsigned inner) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> offsets, extents;
  SmallVector<int64_t> shape;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    bool isWhole = loop == outer || loop == inner;
    offsets.push_back(isWhole ? OpFoldResult(b.getIndexAttr(0))
                              : OpFoldResult(place.lookup(loop)));
    extents.push_back(isWhole ? memref::getMixedSize(b, b.getLoc(), buffer, dim)
                              : OpFoldResult(b.getIndexAttr(1)));
    if (isWhole)
      shape.push_back(type.getDimSize(dim));
  }
  if (shape.size() == offsets.size())
    return buffer;
  SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
  auto matrix = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, extents, strides);
  return memref::SubViewOp::create(b, matrix, buffer, offsets, extents,
                                   strides);
}

/// Packs `count` terms of the right side from `first` on: a row of lanes each,
/// with zeros in lanes that it does not have.
void DenseTile::emitPanel(Value first, Value count) {
  Value lane = place.lookup(op.lane);
  Value lanes = at.min(at.sub(sizeOf(op.lane), lane), sizes.width);
  if (rightLayout == Layout::Rows) {
    SmallVector<Value> indices = indicesOf(op.rightMap);
    unsigned depth = *findLoop(op.rightMap, op.depth);
    return forEach(0, count, 1, [&](Value row) {
      forEachLane([&](Value part) {
        indices[depth] = at.add(first, row);
        indices.back() = at.add(lane, part);
        store(loadLanes(right, indices, emitIsThere(indices.back())), panel,
              row, part);
      });
    });
  }
  if (rightLayout == Layout::Terms) {
    Value matrix = at2D(right, op.rightMap, op.lane, op.depth);
    tile::PackOp::create(b, matrix, lane, first, lanes, count,
                         b.getF32FloatAttr(1.0), panel);
    return;
  }
  SmallVector<Value> indices = indicesOf(op.rightMap);
  forEach(0, count, 1, [&](Value row) {
    forEachLane([&](Value part) { store(splat(0), panel, row, part); });
    forEach(0, lanes, 1, [&](Value part) {
      indices[*findLoop(op.rightMap, op.depth)] = at.add(first, row);
      indices[*findLoop(op.rightMap, op.lane)] = at.add(lane, part);
      Value number = memref::LoadOp::create(b, right, indices);
      memref::StoreOp::create(b, number, panel, ValueRange{row, part});
    });
  });
}

/// Copies `count` terms from `first` on of the tile's `here` rows, where the
/// left side has neither of them innermost.
void DenseTile::emitLeft(Value first, Value count, Value here) {
  SmallVector<Value> indices = indicesOf(op.leftMap);
  forEach(0, here, 1, [&](Value row) {
    forEach(0, count, 1, [&](Value term) {
      indices[*findLoop(op.leftMap, op.row)] =
          at.add(place.lookup(op.row), row);
      indices[*findLoop(op.leftMap, op.depth)] = at.add(first, term);
      Value number = memref::LoadOp::create(b, left, indices);
      memref::StoreOp::create(b, number, leftTile, ValueRange{row, term});
    });
  });
}

/// Adds the products of `count` terms from `first` on to a few rows of sums,
/// from `row` on.
void DenseTile::emitProducts(Value row, Value first, Value count) {
  tile::ProductClauses clauses;
  clauses.count = count;
  clauses.accumulates = true;
  Value matrix = leftTile, firstRow = row;
  if (leftLayout == Layout::Terms) {
    Value whole = at2D(left, op.leftMap, op.row, op.depth);
    SmallVector<OpFoldResult> offsets = {b.getIndexAttr(0), first};
    SmallVector<OpFoldResult> extents = {
        b.createOrFold<memref::DimOp>(whole, 0), count};
    SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
    matrix = memref::SubViewOp::create(b, whole, offsets, extents, strides);
    firstRow = at.add(place.lookup(op.row), row);
    // Rows beyond the last one are not stored.
    clauses.last = at.sub(sizeOf(op.row), 1);
  }
  tile::ProductOp::create(b, matrix, firstRow, panel,
                          rowsOf(sumTile, row, sizes.rows), clauses);
}

/// Adds the products of `count` terms from `first` on to the sums of the
/// tile's `here` rows.
void DenseTile::emitPiece(Value first, Value count, Value here) {
  emitPanel(first, count);
  if (leftLayout != Layout::Terms)
    emitLeft(first, count, here);
  forEach(0, here, sizes.rows,
          [&](Value row) { emitProducts(row, first, count); });
}
