// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the range of keys of a tile from lengths, causality, band and start.

#include "passes/schedule/KeyRange.h"

using namespace mlir;
using namespace mixattn;

KeyRange mixattn::emitKeyRange(ImplicitLocOpBuilder &b, ScoreOpInterface op,
                               KernelBuffers &buffers, Value firstQuery,
                               Value queries, Value batch) {
  IndexMath at(b);
  auto sizeOf = [&](OperandDim of) {
    return b.createOrFold<memref::DimOp>(buffers.bufferOf(of.value), of.dim);
  };
  KeyRange range;
  range.keys = sizeOf(op.getKeysDim());
  range.alignment = at.sub(range.keys, sizeOf(op.getQueriesDim()));
  range.begin = range.insideBegin = at.value(0);
  range.end = range.keys;
  // A GPU's host does not see values: one that is out of range is the nearest
  // that is not. An index has 32 bits there.
  auto read = [&](Value counts, Value &isBad) {
    Type wide = b.getI64Type();
    Value count = buffers.emitRead(b, b.getLoc(), counts, ValueRange{batch});
    if (count.getType() != wide)
      count = arith::ExtSIOp::create(b, wide, count);
    Value zero = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
    Value keys = arith::IndexCastOp::create(b, wide, range.keys);
    Value nearest =
        arith::MinSIOp::create(b, arith::MaxSIOp::create(b, count, zero), keys);
    isBad = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, count, nearest);
    return arith::IndexCastOp::create(b, b.getIndexType(), nearest);
  };
  if (Value lengths = op.getLengths())
    range.end = read(lengths, range.isLengthBad);
  if (Value start = op.getStart())
    range.alignment = read(start, range.isStartBad);
  range.insideEnd = range.end;
  // The positions that the first and the last query are aligned with.
  Value first = at.add(firstQuery, range.alignment);
  Value last = at.add(first, at.sub(queries, 1));
  auto endAfter = [&](int64_t ahead) {
    range.end = at.min(range.end, at.add(last, ahead + 1));
    range.insideEnd = at.min(range.insideEnd, at.add(first, ahead + 1));
  };
  if (op.getCausal())
    endAfter(0);
  if (std::optional<BandAttr> band = op.getBand()) {
    endAfter(band->getUpper());
    range.begin = at.max(range.begin, at.sub(first, band->getLower()));
    range.insideBegin = at.sub(last, band->getLower());
  }
  range.keptBegin = range.insideBegin;
  range.keptEnd = range.insideEnd;
  range.pooledBegin = range.begin;
  range.pooledEnd = range.end;
  auto attention = dyn_cast<AttentionOpInterface>(op.getOperation());
  if (!attention)
    return range;
  if (std::optional<BandAttr> keep = attention.getKeep()) {
    range.keptBegin = at.max(range.keptBegin, at.sub(last, keep->getLower()));
    range.keptEnd = at.min(range.keptEnd, at.add(first, keep->getUpper() + 1));
    range.pooledBegin =
        at.max(range.pooledBegin, at.sub(first, keep->getLower()));
    range.pooledEnd =
        at.min(range.pooledEnd, at.add(last, keep->getUpper() + 1));
  }
  return range;
}

Value KeyRange::emitIsWeighed(ImplicitLocOpBuilder &b, Value first,
                              Value keys) const {
  IndexMath at(b);
  return arith::AndIOp::create(
      b, at.compare(arith::CmpIPredicate::sge, first, keptBegin),
      at.compare(arith::CmpIPredicate::sle, at.add(first, keys), keptEnd));
}

Value KeyRange::emitIsPooled(ImplicitLocOpBuilder &b, Value first,
                             int64_t keys) const {
  IndexMath at(b);
  return arith::AndIOp::create(
      b,
      at.compare(arith::CmpIPredicate::sgt, at.add(first, keys), pooledBegin),
      at.compare(arith::CmpIPredicate::slt, first, pooledEnd));
}

Value mixattn::emitKeepsNone(ImplicitLocOpBuilder &b, AttentionOpInterface op,
                             const KeyRange &range, Value query) {
  IndexMath at(b);
  Value place = at.add(query, range.alignment);
  Value begin = at.max(at.sub(place, op.getKeep()->getLower()), 0);
  Value end = at.min(at.add(place, op.getKeep()->getUpper() + 1), range.keys);
  return at.compare(arith::CmpIPredicate::sge, begin, end);
}
