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
  void emitPieceCopied(tile::MmaCopyOp op, Value piece, int64_t perRow);
};

} // namespace

/// Copies 16 bytes: those of number `piece`, of which a row has `perRow`.
void MoveEmitter::emitPieceCopied(tile::MmaCopyOp op, Value piece,
                                  int64_t perRow) {
  Value row = at.div(piece, perRow);
  Value column = at.mul(at.rem(piece, perRow), chunk);
  Value from = at.add(op.getRow(), row);
  Value isThere = at.compare(arith::CmpIPredicate::slt, from, op.getRows());
  Value zero = number(0);
  // A row that is not there is not read; its address is a valid one all the
  // same.
  from = arith::SelectOp::create(b, isThere, from, at.value(0));
  Value bytes = arith::SelectOp::create(b, isThere, number(16), zero);
  NVVM::CpAsyncOp::create(b, sharedPointer(op.getTile(), row, column),
                          devicePointer(op.getSource(), from, column), 16,
                          NVVM::LoadCacheModifierKind::CG, bytes);
}

void MoveEmitter::emitCopy(tile::MmaCopyOp op) {
  auto tile = cast<MemRefType>(op.getTile().getType());
  int64_t perRow = tile.getDimSize(1) / chunk;
  int64_t pieces = tile.getDimSize(0) * perRow;
  int64_t threads = op.getThreads();
  for (int64_t first = 0; first < pieces; first += threads) {
    Value piece = at.add(thread(), first);
    auto copy = [&] { emitPieceCopied(op, piece, perRow); };
    if (first + threads <= pieces)
      copy();
    else
      onlyIf(at.compare(arith::CmpIPredicate::slt, piece, pieces), copy);
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
  rewriter.replaceOpWithNewOp<gpu::BarrierOp>(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::MmaLoadOp op) {
  rewriter.replaceOp(op, MoveEmitter(op.getLoc(), rewriter).emitLoad(op));
}
