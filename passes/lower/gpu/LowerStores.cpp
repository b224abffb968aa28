// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From registers to the device's memory.

#include "passes/lower/gpu/Lowerings.h"
#include "passes/lower/gpu/WarpEmitter.h"

using namespace mlir;
using namespace mixattn;

namespace {

class StoreEmitter : public WarpEmitter {
public:
  using WarpEmitter::WarpEmitter;

  void emit(tile::StoreOp op);
  void emit(tile::StoreRowsOp op);
};

} // namespace

void StoreEmitter::emit(tile::StoreOp op) {
  Value fragment = op.getFragment();
  Value first = ownRow(op.getRow());
  Type type = cast<MemRefType>(op.getTarget().getType()).getElementType();
  int64_t bytes = type.getIntOrFloatBitWidth() / 8;
  for (int64_t half : {0, 1}) {
    Value row = at.add(first, half * chunk);
    onlyIf(at.compare(arith::CmpIPredicate::slt, row, op.getRows()), [&] {
      Value begin = devicePointer(op.getTarget(), row, laneColumn());
      for (int64_t i = 2 * half; i < lengthOf(fragment); i += 4) {
        Value place = shifted(begin, i / 4 * chunk * bytes);
        Value one = element(fragment, i), other = element(fragment, i + 1);
        Value both =
            type.isF32() ? joined({one, other}) : rounded(one, other, type);
        LLVM::StoreOp::create(b, both, place, /*alignment=*/2 * bytes);
      }
    });
  }
}

/// Four lanes have the same two rows: the first of them writes.
void StoreEmitter::emit(tile::StoreRowsOp op) {
  SmallVector<Value> place(op.getIndices());
  Value first = ownRow(place.back());
  Value isFirst = at.compare(arith::CmpIPredicate::eq, laneColumn(), 0);
  for (int64_t half : {0, 1}) {
    place.back() = at.add(first, half * chunk);
    Value isThere =
        at.compare(arith::CmpIPredicate::slt, place.back(), op.getRows());
    onlyIf(arith::AndIOp::create(b, isFirst, isThere), [&] {
      LLVM::StoreOp::create(b, element(op.getNumbers(), half),
                            emitDeviceAddress(b, op.getTarget(), place));
    });
  }
}

void mixattn::lower(RewriterBase &rewriter, tile::StoreOp op) {
  StoreEmitter(op.getLoc(), rewriter).emit(op);
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::StoreRowsOp op) {
  StoreEmitter(op.getLoc(), rewriter).emit(op);
  rewriter.eraseOp(op);
}
