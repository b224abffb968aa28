// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The banded schedule: pieces of the rows of a pool whose weights are given.

#include "passes/schedule/x86/BandedTile.h"
#include "passes/schedule/x86/Schedules.h"
#include "passes/schedule/x86/Threads.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

/// Waking threads takes about as long as this many multiply-adds.
static constexpr int64_t fewMultiplyAdds = 1 << 20;

/// Rows that a thread fetches at once: it does little with a piece.
static constexpr int64_t rowsOfItem = 512;

namespace {

/// Emits the tables of a pool, one number after the other.
class PoolLookup : BandedTile {
public:
  PoolLookup(ImplicitLocOpBuilder &b, KernelOp kernel, const TileSizes &sizes)
      : BandedTile(b, kernel, sizes, {}), length(sizeOf({op.getValue(), 2})) {}

  /// The columns that rows read through windows; of windows that overlap the
  /// last counts, and what they say beyond the rows is left out.
  Value emitColumns();
  /// The errors of each of `pieces` pieces of the rows of all heads, without
  /// those beyond them: counted, then dealt in the order in which they come.
  void emitErrors(Value pieces, PoolTables &tables);

private:
  Value allocate(Value count) {
    auto type = MemRefType::get({ShapedType::kDynamic}, b.getIndexType());
    return memref::AllocOp::create(b, type, count);
  }
  Value read(Value buffer, Value place) {
    return memref::LoadOp::create(b, buffer, place);
  }
  void write(Value number, Value buffer, Value place) {
    memref::StoreOp::create(b, number, buffer, place);
  }
  Value isBelow(Value number, Value end) {
    return at.compare(arith::CmpIPredicate::ult, number, end);
  }
  /// Runs `inside` for each error that lies in the rows, with its piece.
  void forEachError(Value pieces, function_ref<void(Value, Value)> inside);

  Value length;
};

} // namespace

Value PoolLookup::emitColumns() {
  Value columns = allocate(length), windows = bufferOf(op.getWindows());
  forEach(0, length, 1, [&](Value row) { write(row, columns, row); });
  forEach(0, sizeOf({op.getWindows(), 0}), 1, [&](Value window) {
    Value column = readIndex(windows, window, 0);
    Value first = readIndex(windows, window, 1);
    Value size = readIndex(windows, window, 2);
    Value isThere = arith::AndIOp::create(b, isBelow(column, length),
                                          isBelow(first, length));
    Value shown = at.min(size, at.sub(length, first));
    shown = arith::SelectOp::create(b, isThere, shown, at.value(0));
    forEach(0, shown, 1,
            [&](Value step) { write(column, columns, at.add(first, step)); });
  });
  return columns;
}

void PoolLookup::forEachError(Value pieces,
                              function_ref<void(Value, Value)> inside) {
  Value triples = bufferOf(op.getErrorIndex());
  Value heads = at.value(op.getHeadsDim().size());
  forEach(0, sizeOf({op.getErrorIndex(), 0}), 1, [&](Value error) {
    Value head = readIndex(triples, error, 0);
    Value row = readIndex(triples, error, 1);
    Value isThere = isBelow(head, heads);
    for (Value place : {row, readIndex(triples, error, 2)})
      isThere = arith::AndIOp::create(b, isThere, isBelow(place, length));
    auto choice = scf::IfOp::create(b, isThere, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(choice.thenYield());
    inside(error, at.add(at.mul(head, pieces), at.div(row, sizes.block)));
  });
}

void PoolLookup::emitErrors(Value pieces, PoolTables &tables) {
  Value all = at.mul(pieces, op.getHeadsDim().size()), zero = at.value(0);
  Value ends = allocate(at.add(all, 1));
  Value order = allocate(sizeOf({op.getErrorIndex(), 0}));
  forEach(0, at.add(all, 1), 1, [&](Value piece) { write(zero, ends, piece); });
  forEachError(pieces, [&](Value, Value piece) {
    Value next = at.add(piece, 1);
    write(at.add(read(ends, next), 1), ends, next);
  });
  // Each piece's own count becomes where it begins, and as it takes its errors
  // where it ends.
  auto begins = scf::ForOp::create(b, at.value(1), at.add(all, 1), at.value(1),
                                   ValueRange{zero});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(begins.getBody());
    Value piece = begins.getInductionVar(), begin = begins.getRegionIterArg(0);
    Value next = at.add(begin, read(ends, piece));
    write(begin, ends, piece);
    scf::YieldOp::create(b, next);
  }
  forEachError(pieces, [&](Value error, Value piece) {
    Value next = at.add(piece, 1);
    Value place = read(ends, next);
    write(error, order, place);
    write(at.add(place, 1), ends, next);
  });
  tables.order = order;
  tables.ends = ends;
}

void mixattn::scheduleBanded(KernelOp kernel, const TileSizes &sizes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  auto op = cast<StructuredPoolOp>(kernel.getComputation());
  BandedTile shape(b, kernel, sizes, {});
  shape.emit({}, {}, {}, {}, {});
  Value batches = shape.sizeOf({op.getValue(), 0});
  Value length = shape.sizeOf({op.getValue(), 2});
  Value pieces = at.div(at.add(length, sizes.block - 1), sizes.block);

  PoolTables tables;
  PoolLookup lookup(b, kernel, sizes);
  if (op.getWindows())
    tables.columns = lookup.emitColumns();
  if (op.getErrorIndex())
    lookup.emitErrors(pieces, tables);
  int64_t heads = op.getHeadsDim().size();
  int64_t width = op.getBand() ? 2 * op.getHalfWidth() + 1 : 1;
  Value work = at.mul(at.mul(batches, length),
                      heads * width * op.getValue().getType().getDimSize(3));
  int64_t piecesOfItem = std::max<int64_t>(1, rowsOfItem / sizes.block);
  Value runs = at.div(at.add(pieces, piecesOfItem - 1), piecesOfItem);
  emitThreads(b, at.mul(at.mul(batches, runs), heads),
              at.compare(arith::CmpIPredicate::sgt, work, fewMultiplyAdds),
              at.value(shape.bytesTaken()),
              [&](ImplicitLocOpBuilder &b, Value item, Value scratch) {
                IndexMath at(b);
                Value first = at.mul(at.rem(item, runs), piecesOfItem);
                Value number = at.div(item, runs);
                Value last = at.min(at.add(first, piecesOfItem), pieces);
                auto loop = scf::ForOp::create(b, first, last, at.value(1));
                OpBuilder::InsertionGuard guard(b);
                b.setInsertionPointToStart(loop.getBody());
                BandedTile(b, kernel, sizes, scratch)
                    .emit(at.div(number, heads), at.rem(number, heads),
                          loop.getInductionVar(), pieces, tables);
              });
  for (Value buffer : {tables.columns, tables.order, tables.ends})
    if (buffer)
      memref::DeallocOp::create(b, buffer);
  kernel.erase();
}
