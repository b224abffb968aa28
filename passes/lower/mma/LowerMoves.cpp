// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the device's memory, shared memory and registers.

#include "passes/lower/gpu/WarpEmitter.h"
#include "passes/lower/mma/Lowerings.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mixattn;

namespace {

class MoveEmitter : public WarpEmitter {
public:
  using WarpEmitter::WarpEmitter;

  void emitCopy(tile::MmaCopyOp op);
  Value emitLoad(tile::MmaLoadOp op);

private:
  /// The bytes from a row of `buffer` to that `rows` further down.
  Value emitRowStep(Value buffer, int64_t rows) {
    Value number = arith::ConstantOp::create(b, b.getI64IntegerAttr(rows));
    return b.createOrFold<arith::MulIOp>(emitDeviceStride(b, buffer, 0),
                                         number);
  }
  void emitPart(tile::MmaCopyOp op, int64_t first, int64_t count);
  /// Copies 16 bytes from `source` to `target`, zeros unless `isThere`.
  void emitPiece(Value source, Value target, Value isThere);
};

} // namespace

/// No byte of the source is read where none is asked for: its address may be
/// any (PTX ISA, cp.async).
void MoveEmitter::emitPiece(Value source, Value target, Value isThere) {
  Value bytes = arith::SelectOp::create(b, isThere, number(16), number(0));
  NVVM::CpAsyncOp::create(b, target, source, 16,
                          NVVM::LoadCacheModifierKind::CG, bytes);
}

/// Copies `count` pieces of 16 bytes of every row, from piece `first` on: a
/// thread one, then those of the same columns as many rows further on as the
/// threads take at a time.
void MoveEmitter::emitPart(tile::MmaCopyOp op, int64_t first, int64_t count) {
  int64_t rows = op.getTile().getType().getRows();
  int64_t rowsAtATime = op.getThreads() / count;
  Value own = at.div(thread(), count);
  Value column = at.mul(at.add(at.rem(thread(), count), first), chunk);
  Value source, step;
  for (int64_t begin = 0; begin < rows; begin += rowsAtATime) {
    Value row = at.add(own, begin), from = at.add(op.getRow(), row);
    if (!source) {
      source = devicePointer(op.getSource(), from, column);
    } else {
      if (!step)
        step = emitRowStep(op.getSource(), rowsAtATime);
      source = LLVM::GEPOp::create(b, source.getType(), b.getI8Type(), source,
                                   ValueRange(step));
    }
    auto copy = [&] {
      emitPiece(source, sharedPointer(op.getTile(), row, column),
                at.compare(arith::CmpIPredicate::slt, from, op.getRows()));
    };
    if (begin + rowsAtATime <= rows)
      copy();
    else
      onlyIf(at.compare(arith::CmpIPredicate::slt, row, rows), copy);
  }
}

/// A row is cut into powers of two of pieces, of which all threads have as many
/// rows to copy, and keep to their columns.
void MoveEmitter::emitCopy(tile::MmaCopyOp op) {
  int64_t left = op.getTile().getType().getColumns() / chunk;
  // The largest power of two that divides the threads.
  int64_t most = int64_t(op.getThreads()) & -int64_t(op.getThreads());
  for (int64_t first = 0; left > 0;) {
    int64_t count = std::min(int64_t(llvm::bit_floor(uint64_t(left))), most);
    emitPart(op, first, count);
    first += count;
    left -= count;
  }
}

Value MoveEmitter::emitLoad(tile::MmaLoadOp op) {
  Value last = at.sub(op.getRows(), 1);
  Value first = ownRow(op.getRow());
  Values rows;
  for (int64_t half : {0, 1})
    rows.push_back(devicePointer(op.getSource(),
                                 at.min(at.add(first, half * chunk), last),
                                 laneColumn()));
  Values registers;
  auto type = cast<VectorType>(op.getOperand().getType());
  for (int64_t i = 0; i < type.getDimSize(0) / 2; ++i)
    registers.push_back(LLVM::LoadOp::create(
        b, b.getI32Type(), shifted(rows[i % 2], i / 2 * chunk * width)));
  return operandOf(registers, type.getElementType());
}

void mixattn::lower(RewriterBase &rewriter, tile::MmaCopyOp op) {
  MoveEmitter(op.getLoc(), rewriter).emitCopy(op);
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::MmaCommitOp op) {
  rewriter.replaceOpWithNewOp<NVVM::CpAsyncCommitGroupOp>(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::MmaWaitOp op) {
  NVVM::CpAsyncWaitGroupOp::create(rewriter, op.getLoc(), op.getPending());
  if (!op.getOwn())
    gpu::BarrierOp::create(rewriter, op.getLoc());
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::MmaLoadOp op) {
  rewriter.replaceOp(op, MoveEmitter(op.getLoc(), rewriter).emitLoad(op));
}
