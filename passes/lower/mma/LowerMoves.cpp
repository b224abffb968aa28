// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the device's memory, shared memory and registers.

#include "passes/body/NeverUnroll.h"
#include "passes/lower/gpu/DeviceBuffers.h"
#include "passes/lower/gpu/WarpEmitter.h"
#include "passes/lower/mma/Lowerings.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

namespace {

class MoveEmitter : public WarpEmitter {
public:
  using WarpEmitter::WarpEmitter;

  void emitCopy(tile::MmaCopyOp op);
  Value emitLoad(tile::MmaLoadOp op);

private:
  /// The bytes from any row of `buffer` to that `rows` further down; null where
  /// they are not the same for all rows.
  Value emitRowStep(Value buffer, int64_t rows) {
    auto type = cast<MemRefType>(buffer.getType());
    int64_t rowDim = type.getRank() - 2;
    int64_t inTurn = rowDim ? type.getDimSize(0) : 1;
    if (rows % inTurn)
      return {};
    Value number =
        arith::ConstantOp::create(b, b.getI64IntegerAttr(rows / inTurn));
    return b.createOrFold<arith::MulIOp>(emitDeviceStride(b, buffer, rowDim),
                                         number);
  }
  void emitPart(tile::MmaCopyOp op, int64_t first, int64_t count);
  /// Copies `bytes` bytes from `source` to `target`, zeros unless `isThere`,
  /// where there is that.
  void emitPiece(Value source, Value target, Value isThere, int64_t bytes);
  /// Whether the source has every row of the tile, for any block and step.
  static bool hasAllRows(tile::MmaCopyOp op) {
    std::optional<int64_t> rows = getConstantIntValue(op.getRows());
    return rows && isZeroInteger(op.getRow()) &&
           *rows >= op.getTile().getType().getRows();
  }
  /// Bytes of a piece: 16, 8, 4 or 2, which divide a row of the source.
  static int64_t pieceBytes(tile::MmaCopyOp op) {
    return bytesDividingRows(op.getSource(), /*most=*/16);
  }
  /// The two columns of `matrix` from `column` on in the rows at `row`, in one
  /// register; zeros in place of those that it has not.
  Value emitColumns(Value matrix, Value row, Value column);
};

} // namespace

/// No byte of the source is read where none is asked for: its address may be
/// any (PTX ISA, cp.async).
///
/// cp.async copies no fewer than 4 bytes. An element less than that is loaded
/// and stored.
void MoveEmitter::emitPiece(Value source, Value target, Value isThere,
                            int64_t bytes) {
  if (bytes >= 4) {
    auto kind = bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                            : NVVM::LoadCacheModifierKind::CA;
    Value read;
    if (isThere)
      read = arith::SelectOp::create(b, isThere, number(bytes), number(0));
    NVVM::CpAsyncOp::create(b, target, source, bytes, kind, read);
    return;
  }
  Type element = b.getI16Type();
  if (!isThere) {
    LLVM::StoreOp::create(b, LLVM::LoadOp::create(b, element, source), target);
    return;
  }
  auto choice = scf::IfOp::create(b, element, isThere, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b,
                         LLVM::LoadOp::create(b, element, source).getResult());
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(
        b, arith::ConstantOp::create(b, b.getI16IntegerAttr(0)).getResult());
  }
  LLVM::StoreOp::create(b, choice.getResult(0), target);
}

/// Copies `count` pieces of every row, from piece `first` on: a thread one,
/// then those of the same columns as many rows further on as the threads take
/// at a time. Elements are loaded a few at a time: registers hold them until
/// they are stored.
void MoveEmitter::emitPart(tile::MmaCopyOp op, int64_t first, int64_t count) {
  constexpr int64_t few = 8;
  int64_t rows = op.getTile().getType().getRows();
  int64_t rowsAtATime = op.getThreads() / count;
  Value own = at.div(thread(), count);
  int64_t bytes = pieceBytes(op), columns = columnsOf(op.getSource());
  int64_t pieceColumns = bytes / width;
  Value column = at.mul(at.add(at.rem(thread(), count), first), pieceColumns);
  bool isPadded = (first + count) * pieceColumns > columns;
  // `times` rows from `begin` on, of which `sure` are certainly in the tile.
  auto copyRows = [&](Value begin, int64_t times, int64_t sure) {
    Value source, step;
    for (int64_t i = 0; i < times; ++i) {
      Value row = at.add(begin, i * rowsAtATime);
      Value from = at.add(op.getRow(), row);
      if (source && !step)
        step = emitRowStep(op.getSource(), rowsAtATime);
      if (step)
        source = LLVM::GEPOp::create(b, source.getType(), b.getI8Type(), source,
                                     ValueRange(step));
      else
        source = devicePointer(op.getSource(), from, column);
      auto copy = [&] {
        Value isThere;
        auto check = [&](Value place, auto end) {
          Value own = at.compare(arith::CmpIPredicate::slt, place, end);
          isThere = isThere ? b.createOrFold<arith::AndIOp>(isThere, own) : own;
        };
        if (!hasAllRows(op))
          check(from, op.getRows());
        if (isPadded)
          check(column, columns);
        emitPiece(source, sharedPointer(op.getTile(), row, column), isThere,
                  bytes);
      };
      if (i < sure)
        copy();
      else
        onlyIf(at.compare(arith::CmpIPredicate::slt, row, rows), copy);
    }
  };
  int64_t times = llvm::divideCeil(rows, rowsAtATime);
  if (bytes >= 4 || times <= few)
    return copyRows(own, times, rows / rowsAtATime);
  int64_t rowsOfTurn = few * rowsAtATime;
  auto loop =
      scf::ForOp::create(b, at.value(0), at.value(rows), at.value(rowsOfTurn));
  neverUnroll(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  copyRows(at.add(own, loop.getInductionVar()), few,
           rows % rowsOfTurn ? 0 : few);
}

/// A row is cut into powers of two of pieces, of which all threads have as many
/// rows to copy, and keep to their columns.
void MoveEmitter::emitCopy(tile::MmaCopyOp op) {
  int64_t left = op.getTile().getType().getColumns() * width / pieceBytes(op);
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
  Values places, rows;
  for (int64_t half : {0, 1}) {
    places.push_back(at.min(at.add(first, half * chunk), last));
    rows.push_back(devicePointer(op.getSource(), places.back(), laneColumn()));
  }
  Values registers;
  auto type = cast<VectorType>(op.getOperand().getType());
  int64_t columns = columnsOf(op.getSource());
  bool arePairs = bytesDividingRows(op.getSource(), 2 * width) == 2 * width;
  for (int64_t i = 0; i < type.getDimSize(0) / 2; ++i) {
    int64_t column = i / 2 * chunk;
    if (column >= columns)
      registers.push_back(number(0));
    else if (column + chunk <= columns && arePairs)
      registers.push_back(LLVM::LoadOp::create(
          b, b.getI32Type(), shifted(rows[i % 2], column * width)));
    else
      registers.push_back(emitColumns(op.getSource(), places[i % 2],
                                      at.add(laneColumn(), column)));
  }
  return operandOf(registers, type.getElementType());
}

Value MoveEmitter::emitColumns(Value matrix, Value row, Value column) {
  int64_t columns = columnsOf(matrix);
  Value both = number(0);
  for (int64_t i : {0, 1}) {
    Value own = at.add(column, i);
    Value bits = LLVM::LoadOp::create(
        b, b.getI16Type(),
        devicePointer(matrix, row, at.min(own, columns - 1)));
    bits = arith::ExtUIOp::create(b, b.getI32Type(), bits);
    bits = arith::SelectOp::create(
        b, at.compare(arith::CmpIPredicate::slt, own, columns), bits,
        number(0));
    both = arith::OrIOp::create(b, both,
                                arith::ShLIOp::create(b, bits, number(16 * i)));
  }
  return both;
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
