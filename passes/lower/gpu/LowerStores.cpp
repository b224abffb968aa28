// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between registers and the device's memory.

#include "passes/lower/gpu/DeviceBuffers.h"
#include "passes/lower/gpu/Lowerings.h"
#include "passes/lower/gpu/WarpEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mixattn;

namespace {

class RowEmitter : public WarpEmitter {
public:
  using WarpEmitter::WarpEmitter;

  void emit(tile::StoreOp op);
  void emit(tile::PutOp op);
  void emit(tile::StoreRowsOp op);
  Value emit(tile::LoadRowsOp op);

private:
  void emitPair(Value place, Value one, Value other, Type type);
  void emitColumns(Value place, Value column, int64_t columns,
                   ArrayRef<Value> elements, Type type);
};

} // namespace

void RowEmitter::emit(tile::StoreOp op) {
  Value fragment = op.getFragment();
  Value first = ownRow(op.getRow());
  Type type = cast<MemRefType>(op.getTarget().getType()).getElementType();
  int64_t bytes = type.getIntOrFloatBitWidth() / 8;
  int64_t columns = columnsOf(op.getTarget());
  bool arePairs = bytesDividingRows(op.getTarget(), 2 * bytes) == 2 * bytes;
  for (int64_t half : {0, 1}) {
    Value row = at.add(first, half * chunk);
    onlyIf(at.compare(arith::CmpIPredicate::slt, row, op.getRows()), [&] {
      Value begin = devicePointer(op.getTarget(), row, laneColumn());
      for (int64_t i = 2 * half; i < lengthOf(fragment); i += 4) {
        int64_t column = i / 4 * chunk;
        if (column >= columns)
          break;
        Value place = shifted(begin, column * bytes);
        Value one = element(fragment, i), other = element(fragment, i + 1);
        if (column + chunk <= columns && arePairs)
          emitPair(place, one, other, type);
        else
          emitColumns(place, at.add(laneColumn(), column), columns,
                      {one, other}, type);
      }
    });
  }
}

/// Two columns that are there, where rows have an even number of them.
void RowEmitter::emitPair(Value place, Value one, Value other, Type type) {
  Value both = type.isF32() ? joined({one, other}) : rounded(one, other, type);
  LLVM::StoreOp::create(b, both, place,
                        /*alignment=*/type.getIntOrFloatBitWidth() / 4);
}

/// Those of two columns, from `column` on, that there are of `columns`.
void RowEmitter::emitColumns(Value place, Value column, int64_t columns,
                             ArrayRef<Value> elements, Type type) {
  int64_t bytes = type.getIntOrFloatBitWidth() / 8;
  for (auto [i, each] : llvm::enumerate(elements))
    onlyIf(at.compare(arith::CmpIPredicate::slt, at.add(column, int64_t(i)),
                      columns),
           [&, number = each, i = int64_t(i)] {
             Value one = type.isF32()
                             ? number
                             : arith::TruncFOp::create(b, type, number);
             LLVM::StoreOp::create(b, one, shifted(place, i * bytes), bytes);
           });
}

/// Rows that a barrier shows to others: two columns at a time.
void RowEmitter::emit(tile::PutOp op) {
  tile::SharedType tile = op.getTile().getType();
  Value begin = sharedPointer(op.getTile(), ownRow(at.value(0)), laneColumn());
  for (int64_t i = 0; i < lengthOf(op.getFragment()); i += 2) {
    int64_t bytes =
        i / 2 % 2 * chunk * tile.getRowBytes() + i / 4 * chunk * width;
    emitPair(shifted(begin, bytes), element(op.getFragment(), i),
             element(op.getFragment(), i + 1), tile.getElementType());
  }
}

/// Four lanes have the same two rows: the first of them writes.
void RowEmitter::emit(tile::StoreRowsOp op) {
  Values place(op.getIndices());
  auto type = cast<MemRefType>(op.getTarget().getType());
  Value first = ownRow(place.back());
  Value isFirst = at.compare(arith::CmpIPredicate::eq, laneColumn(), 0);
  for (int64_t half : {0, 1}) {
    Value row = at.add(first, half * chunk);
    Value isThere = at.compare(arith::CmpIPredicate::slt, row, op.getRows());
    onlyIf(arith::AndIOp::create(b, isFirst, isThere), [&] {
      place.back() = row;
      LLVM::StoreOp::create(
          b, element(op.getNumbers(), half),
          emitDeviceAddress(
              b, op.getTarget(),
              type.getRank() == 2 ? turnOf(row, type.getDimSize(0)) : place));
    });
  }
}

/// Addresses of numbers are made later.
Value RowEmitter::emit(tile::LoadRowsOp op) {
  SmallVector<Value> place(op.getIndices());
  Value first = ownRow(place.back()), last = at.sub(op.getRows(), 1);
  Values numbers;
  for (int64_t half : {0, 1}) {
    place.back() = at.min(at.add(first, half * chunk), last);
    if (isa<tile::SharedType>(op.getSource().getType()))
      numbers.push_back(tile::SharedReadOp::create(
          b, b.getF32Type(), op.getSource(), place[0], place[1]));
    else
      numbers.push_back(memref::LoadOp::create(b, op.getSource(), place));
  }
  return joined(numbers);
}

void mixattn::lower(RewriterBase &rewriter, tile::StoreOp op) {
  RowEmitter(op.getLoc(), rewriter).emit(op);
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::PutOp op) {
  RowEmitter(op.getLoc(), rewriter).emit(op);
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::StoreRowsOp op) {
  RowEmitter(op.getLoc(), rewriter).emit(op);
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::LoadRowsOp op) {
  rewriter.replaceOp(op, RowEmitter(op.getLoc(), rewriter).emit(op));
}
