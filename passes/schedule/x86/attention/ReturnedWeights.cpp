// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes weights that are a result: transposed, since lanes are queries.

#include "passes/schedule/x86/attention/ReturnedWeights.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

void ReturnedWeights::takeScratch() {
  ones = takeTile(1);
  if (isCounting())
    return;
  forEachLane([&](Value lane) { store(splat(1), ones, at.value(0), lane); });
}

/// The matrix of the weights of `head`, a row a query.
Value ReturnedWeights::rowsOfHead(Value head) {
  return KernelBuffers::matrixAt(b, targetOf(op.getWeights()),
                                 {operands.place.batch, head});
}

void ReturnedWeights::emitBlock(Value head, Value keys, Value tile,
                                Value first) {
  Value rows = rowsOfHead(head);
  auto emitColumns = [&](OpFoldResult count, Value columns) {
    SmallVector<OpFoldResult> offsets = {b.getIndexAttr(0),
                                         operands.place.blockStart};
    SmallVector<OpFoldResult> extents = {b.createOrFold<memref::DimOp>(rows, 0),
                                         count};
    SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
    Value target =
        memref::SubViewOp::create(b, rows, offsets, extents, strides);
    tile::UnpackOp::create(b, rowsOf(tile, first, sizes.block), ones, target,
                           operands.place.firstQuery, queries, columns);
  };
  // Whole blocks need no masks.
  Value isWhole = at.compare(arith::CmpIPredicate::eq, keys, sizes.block);
  auto choice = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  emitColumns(b.getIndexAttr(sizes.block), Value());
  b.setInsertionPointToStart(choice.elseBlock());
  emitColumns(keys, keys);
}

void ReturnedWeights::emitUnseen(Value head, Value tile, Value row) {
  Value rows = rowsOfHead(head);
  Value first = operands.place.firstQuery;
  forEach(first, at.add(first, queries), 1, [&](Value query) {
    Value weight =
        memref::LoadOp::create(b, tile, ValueRange{row, at.sub(query, first)});
    emitFilled(rows, query, weight, at.value(0),
               at.min(range.begin, range.keys));
    emitFilled(rows, query, weight, at.max(range.end, 0), range.keys);
  });
}

/// Writes `weight` for `query`, keys `from` to before `to`.
void ReturnedWeights::emitFilled(Value rows, Value query, Value weight,
                                 Value from, Value to) {
  if (std::optional<BandAttr> keep = op.getKeep())
    return forEach(from, to, 1, [&](Value key) {
      ScorePlace place{operands.place.batch, {}, query, key, range.alignment};
      Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
      Value isKept = emitInBand(b, b.getLoc(), *keep, place);
      Value kept = arith::SelectOp::create(b, isKept, weight, zero);
      memref::StoreOp::create(b, kept, rows, ValueRange{query, key});
    });
  Value weights = vector::BroadcastOp::create(b, rowType(), weight);
  forEach(from, to, sizes.lanes, [&](Value key) {
    Value isThere = vector::CreateMaskOp::create(
        b, VectorType::get({sizes.lanes}, b.getI1Type()),
        ValueRange{at.sub(to, key)});
    vector::MaskedStoreOp::create(b, rows, ValueRange{query, key}, isThere,
                                  weights);
  });
}
