// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of buffers to shared memory, by copies of any alignment; their elements
// from there.

#include "passes/lower/gpu/Lowerings.h"
#include "passes/lower/gpu/SharedMemory.h"
#include "passes/lower/gpu/ViewSizes.h"
#include "passes/lower/gpu/WarpEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

namespace {

class FetchEmitter : public WarpEmitter {
public:
  FetchEmitter(tile::FetchOp op, OpBuilder &builder);

  void emit();

private:
  /// Bytes that one copy takes: the most, and the fewest that there are.
  static constexpr int64_t most = 16, fewest = 4;

  /// Bytes of a row that are written: elements that are read together may take
  /// up to 16 at once, also those that no column has.
  int64_t rowBytes() const {
    return int64_t(llvm::alignTo(uint64_t(type.getColumns() * width), most));
  }
  /// Elements of the source from the first index on along `dim`.
  Value emitLeft(int64_t dim);
  Value emitIsAligned(int64_t bytes);
  /// Emits `piece` for each of `count` pieces, of which the thread has those of
  /// its own number and `threads` further on.
  void forEachPiece(int64_t count, bool isWrittenOut,
                    function_ref<void(Value)> piece);
  void emitCopies(int64_t bytes, bool isWrittenOut);
  void emitElements();
  /// The addresses, `bytes` into row `row`, in the source and in the tile.
  Value sourceAt(Value row, Value bytes);
  Value targetAt(Value row, Value bytes);
  Value asNumber(Value index) {
    return b.createOrFold<arith::IndexCastOp>(b.getI32Type(), index);
  }
  Value choose(Value condition, Value one, Value other) {
    return b.createOrFold<arith::SelectOp>(condition, one, other);
  }

  tile::FetchOp op;
  tile::SharedType type;
  int64_t width, rank;
  /// The thread's number in its team, and the place of the first element.
  Value own;
  Values indices;
  /// The first element's address, bytes from row to row, the tile's address,
  /// and rows and columns that there are from there on.
  Value begin, stride, tile, rowsLeft, columnsLeft;
};

class ReadEmitter : public WarpEmitter {
public:
  using WarpEmitter::WarpEmitter;

  template <typename Op> Value emitAddress(Op op) {
    return sharedPointer(op.getTile(), op.getRow(), op.getColumn());
  }
};

} // namespace

FetchEmitter::FetchEmitter(tile::FetchOp op, OpBuilder &builder)
    : WarpEmitter(op.getLoc(), builder), op(op), type(op.getTile().getType()),
      width(type.getElementBytes()),
      rank(cast<MemRefType>(op.getSource().getType()).getRank()) {
  // Addresses of all copies of a loop would be computed before it, and take
  // more registers than there are.
  own = at.rem(keptHere(thread()), int64_t(op.getThreads()));
  for (Value index : op.getIndices())
    indices.push_back(getConstantIntValue(index) ? index : keptHere(index));
  begin = emitDeviceAddress(b, op.getSource(), indices);
  tile = emitTileAddress(b, op.getTile());
  columnsLeft = emitLeft(rank - 1);
  if (rank > 1) {
    stride = emitDeviceStride(b, op.getSource(), rank - 2);
    rowsLeft = emitLeft(rank - 2);
  } else {
    stride = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
    rowsLeft = at.value(1);
  }
}

Value FetchEmitter::emitLeft(int64_t dim) {
  return at.sub(emitSize(b, op.getSource(), dim), indices[dim]);
}

/// Whether every row begins at a multiple of `bytes`.
Value FetchEmitter::emitIsAligned(int64_t bytes) {
  Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), begin);
  Value bits = arith::TruncIOp::create(
      b, b.getI32Type(), b.createOrFold<arith::OrIOp>(address, stride));
  return arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq,
      b.createOrFold<arith::AndIOp>(bits, number(bytes - 1)), number(0));
}

void FetchEmitter::forEachPiece(int64_t count, bool isWrittenOut,
                                function_ref<void(Value)> piece) {
  int64_t threads = int64_t(op.getThreads());
  auto emit = [&](Value number) {
    if (count % threads == 0)
      piece(number);
    else
      onlyIf(at.compare(arith::CmpIPredicate::slt, number, count),
             [&] { piece(number); });
  };
  int64_t turns = llvm::divideCeil(count, threads);
  if (isWrittenOut || turns == 1) {
    for (int64_t turn = 0; turn < turns; ++turn)
      emit(at.add(own, turn * threads));
    return;
  }
  auto loop = scf::ForOp::create(b, at.value(0), at.value(turns), at.value(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  emit(at.add(own, at.mul(loop.getInductionVar(), threads)));
}

Value FetchEmitter::sourceAt(Value row, Value bytes) {
  Type i64 = b.getI64Type();
  Value inRows = b.createOrFold<arith::MulIOp>(
      b.createOrFold<arith::IndexCastOp>(i64, row), stride);
  Value sum = b.createOrFold<arith::AddIOp>(
      inRows, b.createOrFold<arith::IndexCastOp>(i64, bytes));
  return LLVM::GEPOp::create(b, begin.getType(), b.getI8Type(), begin,
                             ValueRange(sum));
}

Value FetchEmitter::targetAt(Value row, Value bytes) {
  Value sum = asNumber(at.add(at.mul(row, type.getRowBytes()), bytes));
  return LLVM::GEPOp::create(b, tile.getType(), b.getI8Type(), tile,
                             ValueRange(sum));
}

/// No byte of the source is read beyond those that are there: what the copy
/// writes more are zeros (PTX ISA, cp.async).
void FetchEmitter::emitCopies(int64_t bytes, bool isWrittenOut) {
  int64_t perRow = rowBytes() / bytes;
  Value bytesLeft = at.mul(columnsLeft, width);
  forEachPiece(type.getRows() * perRow, isWrittenOut, [&](Value piece) {
    Value row = at.div(piece, perRow);
    Value first = at.mul(at.rem(piece, perRow), bytes);
    Value isThere = at.compare(arith::CmpIPredicate::slt, row, rowsLeft);
    Value given = at.max(at.min(at.sub(bytesLeft, first), bytes), 0);
    NVVM::CpAsyncOp::create(b, targetAt(row, first), sourceAt(row, first),
                            int32_t(bytes),
                            bytes == most ? NVVM::LoadCacheModifierKind::CG
                                          : NVVM::LoadCacheModifierKind::CA,
                            choose(isThere, asNumber(given), number(0)));
  });
}

void FetchEmitter::emitElements() {
  Type bits = b.getIntegerType(unsigned(8 * width));
  int64_t columns = rowBytes() / width;
  forEachPiece(
      type.getRows() * columns, /*isWrittenOut=*/false, [&](Value piece) {
        Value row = at.div(piece, columns);
        Value column = at.rem(piece, columns);
        Value bytes = at.mul(column, width);
        Value isThere = arith::AndIOp::create(
            b, at.compare(arith::CmpIPredicate::slt, row, rowsLeft),
            at.compare(arith::CmpIPredicate::slt, column, columnsLeft));
        auto choice = scf::IfOp::create(b, TypeRange(bits), isThere,
                                        /*withElseRegion=*/true);
        {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToStart(choice.thenBlock());
          Value element = LLVM::LoadOp::create(b, bits, sourceAt(row, bytes));
          scf::YieldOp::create(b, element);
          b.setInsertionPointToStart(choice.elseBlock());
          Value zero = arith::ConstantOp::create(b, b.getZeroAttr(bits));
          scf::YieldOp::create(b, zero);
        }
        LLVM::StoreOp::create(b, choice.getResult(0), targetAt(row, bytes));
      });
}

void FetchEmitter::emit() {
  auto choose = [&](int64_t bytes, function_ref<void()> other) {
    auto choice = scf::IfOp::create(b, emitIsAligned(bytes),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    emitCopies(bytes, /*isWrittenOut=*/bytes == most);
    b.setInsertionPointToStart(choice.elseBlock());
    other();
  };
  choose(most, [&] {
    if (width >= fewest)
      return emitCopies(fewest, /*isWrittenOut=*/false);
    choose(fewest, [&] { emitElements(); });
  });
}

void mixattn::lower(RewriterBase &rewriter, tile::FetchOp op) {
  FetchEmitter(op, rewriter).emit();
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::FetchedOp op) {
  NVVM::CpAsyncCommitGroupOp::create(rewriter, op.getLoc());
  NVVM::CpAsyncWaitGroupOp::create(rewriter, op.getLoc(), 0);
  Value all = arith::ConstantOp::create(rewriter, op.getLoc(),
                                        rewriter.getI32IntegerAttr(-1));
  NVVM::SyncWarpOp::create(rewriter, op.getLoc(), all);
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::SharedWriteOp op) {
  Value address = ReadEmitter(op.getLoc(), rewriter).emitAddress(op);
  rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, op.getElement(), address);
}

void mixattn::lower(RewriterBase &rewriter, tile::SharedWriteRowOp op) {
  Value address = ReadEmitter(op.getLoc(), rewriter).emitAddress(op);
  auto type = cast<VectorType>(op.getElements().getType());
  int64_t bytes =
      type.getNumElements() * op.getTile().getType().getElementBytes();
  rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, op.getElements(), address,
                                             unsigned(bytes));
}

void mixattn::lower(RewriterBase &rewriter, tile::SharedReadOp op) {
  Value address = ReadEmitter(op.getLoc(), rewriter).emitAddress(op);
  rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, op.getElement().getType(),
                                            address);
}
