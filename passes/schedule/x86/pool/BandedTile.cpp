// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A piece of the rows of a pool whose weights are given.

#include "passes/schedule/x86/pool/BandedTile.h"

#include "passes/schedule/KernelBuffers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

BandedTile::BandedTile(ImplicitLocOpBuilder &b, KernelOp kernel,
                       const TileSizes &sizes, Scratch &scratch)
    : RowBuilder(b, sizes, scratch), kernel(kernel),
      op(cast<StructuredPoolOp>(kernel.getAnchor())),
      features(op.getValue().getType().getDimSize(3)) {}

Value BandedTile::sizeOf(OperandDim of) {
  return b.createOrFold<memref::DimOp>(bufferOf(of.value), of.dim);
}

Value BandedTile::addWeighted(Value weight, Value value, Value sum) {
  // One masked multiply-add with AVX-512: the sum is what stays where the mask
  // is not set.
  Value counts =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, weight, splat(0));
  auto fused = arith::FastMathFlags::contract;
  Value product = arith::MulFOp::create(b, weight, value, fused);
  Value added = arith::AddFOp::create(b, product, sum, fused);
  return arith::SelectOp::create(b, counts, added, sum);
}

void BandedTile::emit(Value batch, Value ofHead, Value number, Value pieces,
                      const PoolTables &tables) {
  // Products walk over several rows at once, also at the end of the piece.
  pooled = takeMatrix(sizes.block, padded(features));
  if (op.getRowNormalise())
    sums = takeMatrix(sizes.block, 1, b.getF64Type());
  if (isCounting())
    return;
  head = ofHead;
  length = sizeOf({op.getValue(), 2});
  first = at.mul(number, sizes.block);
  count = at.min(at.sub(length, first), sizes.block);
  values = KernelBuffers::matrixAt(b, bufferOf(op.getValue()),
                                   {batch, at.div(head, op.getValueGroup())});
  if (op.getBand())
    emitBand();
  else
    emitCopies(tables.columns);
  if (op.getRowNormalise())
    emitBandSums();
  if (tables.order)
    emitErrors(at.add(at.mul(head, pieces), number), tables);
  emitResults(batch);
}

//===----------------------------------------------------------------------===//
// The band, or copies
//===----------------------------------------------------------------------===//

/// As many rows and vectors of features at once as products of tiles keep in
/// registers.
void BandedTile::emitBand() {
  int64_t rest = features % sizes.width, whole = features - rest;
  forEach(0, count, sizes.rows, [&](Value row) {
    if (whole)
      forEach(0, whole, sizes.width,
              [&](Value column) { emitBandPart(row, column, sizes.width); });
    if (rest)
      emitBandPart(row, at.value(whole), rest);
  });
}

/// pooled[i, e] = sum_j band[i, j - i + w] value[j, e] for a few rows from
/// `row` on, and `columns` features from `column` on. A value is read once for
/// all of the rows.
void BandedTile::emitBandPart(Value row, Value column, int64_t columns) {
  BandPart part;
  part.row = row;
  for (int64_t c = 0; c < columns; c += sizes.lanes) {
    bool isWhole = columns - c >= sizes.lanes;
    part.columns.push_back(at.add(column, c));
    part.masks.push_back(isWhole ? Value() : lanesBetween(0, columns - c));
  }
  part.sums.assign(sizes.rows * part.columns.size(), splat(0));
  // Keys that all rows see, as their distance from the first row; a band that
  // is less wide than there are rows has none.
  int64_t halfWidth = op.getHalfWidth();
  int64_t from = sizes.rows - 1 - halfWidth, to = halfWidth + 1;
  for (int64_t offset = -halfWidth; offset < std::min(from, to); ++offset)
    emitEdge(part, offset);
  if (from < to)
    emitInside(part, from, to);
  for (int64_t offset = to; offset < halfWidth + sizes.rows; ++offset)
    emitEdge(part, offset);
  const auto *sum = part.sums.begin();
  for (int64_t r = 0; r < sizes.rows; ++r)
    for (Value c : part.columns)
      store(*sum++, pooled, at.add(row, r), c);
}

/// The key `offset` after the first row, which rows `from` to before `to` see.
void BandedTile::emitKey(BandPart &part, Value offset, int64_t from,
                         int64_t to) {
  Value position = at.add(first, part.row), last = at.sub(length, 1);
  Value key = at.add(position, offset);
  SmallVector<Value> read;
  for (auto [column, mask] : llvm::zip(part.columns, part.masks))
    read.push_back(loadPart(values, key, column, mask));
  for (int64_t r = from; r < to; ++r) {
    // Rows after the last are computed, and not stored.
    Value bandRow = at.min(at.add(position, r), last);
    Value place = at.add(offset, op.getHalfWidth() - r);
    Value weight =
        spread(loadNumber(bufferOf(op.getBand()), {head, bandRow, place}));
    for (auto [i, value] : llvm::enumerate(read)) {
      Value &sum = part.sums[r * read.size() + i];
      sum = addWeighted(weight, value, sum);
    }
  }
}

/// A key that not all rows see, if it is there.
void BandedTile::emitEdge(BandPart &part, int64_t offset) {
  int64_t halfWidth = op.getHalfWidth();
  Value key = at.add(at.add(first, part.row), offset);
  Value isThere = at.compare(arith::CmpIPredicate::ult, key, length);
  SmallVector<Value> before = part.sums;
  auto choice =
      scf::IfOp::create(b, TypeRange(ValueRange(before)), isThere, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, before);
  b.setInsertionPointToStart(choice.thenBlock());
  emitKey(part, at.value(offset), std::max<int64_t>(offset - halfWidth, 0),
          std::min(offset + halfWidth + 1, sizes.rows));
  scf::YieldOp::create(b, part.sums);
  part.sums.assign(choice.result_begin(), choice.result_end());
}

/// Keys that all rows see, those of them that are there.
void BandedTile::emitInside(BandPart &part, int64_t from, int64_t to) {
  Value position = at.add(first, part.row);
  Value begin = at.max(from, at.sub(0, position));
  Value end = at.min(to, at.sub(length, position));
  auto loop = scf::ForOp::create(b, begin, end, at.value(1), part.sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  part.sums.assign(loop.getRegionIterArgs().begin(),
                   loop.getRegionIterArgs().end());
  emitKey(part, loop.getInductionVar(), 0, sizes.rows);
  scf::YieldOp::create(b, part.sums);
  part.sums.assign(loop.result_begin(), loop.result_end());
}

/// sums[i] = sum_t band[i, t], over what lies in the rows; 1 without a band. In
/// f64, so that a sum that cancels is 0.
void BandedTile::emitBandSums() {
  Value one = arith::ConstantOp::create(b, b.getF64FloatAttr(1));
  Value none = arith::ConstantOp::create(b, b.getF64FloatAttr(0));
  Value zero = at.value(0);
  forEach(0, count, 1, [&](Value row) {
    Value sum = one;
    if (op.getBand()) {
      Value position = at.add(first, row);
      int64_t halfWidth = op.getHalfWidth(), width = 2 * halfWidth + 1;
      Value from = at.max(at.sub(halfWidth, position), 0);
      Value to = at.min(at.sub(at.add(length, halfWidth), position), width);
      auto loop =
          scf::ForOp::create(b, from, to, at.value(1), ValueRange{none});
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value weight = loadNumber(bufferOf(op.getBand()),
                                {head, position, loop.getInductionVar()});
      Value wide = arith::ExtFOp::create(b, b.getF64Type(), weight);
      scf::YieldOp::create(b, ValueRange{add(loop.getRegionIterArg(0), wide)});
      sum = loop.getResult(0);
    }
    memref::StoreOp::create(b, sum, sums, ValueRange{row, zero});
  });
}

/// pooled[i, e] = value[columnOfRow[i], e], or value[i, e].
void BandedTile::emitCopies(Value columnOfRow) {
  forEach(0, count, 1, [&](Value row) {
    Value key = at.add(first, row);
    if (columnOfRow)
      key = memref::LoadOp::create(b, columnOfRow, key);
    forEachPart(features, [&](Value column, Value mask) {
      store(loadPart(values, key, column, mask), pooled, row, column);
    });
  });
}

//===----------------------------------------------------------------------===//
// Errors and results
//===----------------------------------------------------------------------===//

void BandedTile::emitErrors(Value piece, const PoolTables &tables) {
  Value from = memref::LoadOp::create(b, tables.ends, piece);
  Value to =
      memref::LoadOp::create(b, tables.ends, ValueRange{at.add(piece, 1)});
  Value triples = bufferOf(op.getErrorIndex());
  forEach(from, to, 1, [&](Value place) {
    Value error = memref::LoadOp::create(b, tables.order, place);
    Value row = at.sub(readIndex(b, triples, error, 1), first);
    Value key = readIndex(b, triples, error, 2);
    Value weight = loadNumber(bufferOf(op.getErrorValue()), error);
    Value weights = spread(weight);
    forEachPart(features, [&](Value column, Value mask) {
      Value value = loadPart(values, key, column, mask);
      Value sum = load(pooled, row, column);
      store(addWeighted(weights, value, sum), pooled, row, column);
    });
    if (!op.getRowNormalise())
      return;
    SmallVector<Value> ofRow = {row, at.value(0)};
    Value sum = memref::LoadOp::create(b, sums, ofRow);
    Value wide = arith::ExtFOp::create(b, b.getF64Type(), weight);
    memref::StoreOp::create(b, add(sum, wide), sums, ofRow);
  });
}

/// Writes pooled[i, e], or pooled[i, e] / sums[i] and 0 where that is 0.
void BandedTile::emitResults(Value batch) {
  Value target =
      KernelBuffers::matrixAt(b, kernel.getOutputs()[0], {batch, head});
  auto wideType = VectorType::get({sizes.lanes}, b.getF64Type());
  forEach(0, count, 1, [&](Value row) {
    Value isZero, factor;
    if (op.getRowNormalise()) {
      Value sum = memref::LoadOp::create(b, sums, ValueRange{row, at.value(0)});
      Value none = arith::ConstantOp::create(b, b.getF64FloatAttr(0));
      Value one = arith::ConstantOp::create(b, b.getF64FloatAttr(1));
      isZero = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, none);
      // No sum of numbers in f32 but 0 is so small that its inverse overflows.
      factor = spread(arith::DivFOp::create(b, one, sum), wideType);
    }
    forEachPart(features, [&](Value column, Value mask) {
      Value result = load(pooled, row, column);
      if (factor) {
        Value wide = arith::ExtFOp::create(b, wideType, result);
        result = arith::TruncFOp::create(b, rowType(), mul(wide, factor));
        result = arith::SelectOp::create(b, isZero, splat(0), result);
      }
      storePart(result, target, at.add(first, row), column, mask);
    });
  });
}
