// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terms that rows of queries or of keys have alone, on a GPU.

#include "passes/body/ScoreBody.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/gpu/Lanes.h"
#include "passes/schedule/gpu/Schedules.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::gpus;

namespace {

/// Emits the code of a block of threads. Lanes side by side read pieces of one
/// row that lie side by side, and a lane reads pieces of several rows before it
/// computes: so many are on their way at the same time.
class RowTermBlock {
public:
  RowTermBlock(ImplicitLocOpBuilder &b, KernelOp kernel)
      : b(b), at(b), kernel(kernel), op(cast<RowTermOp>(kernel.getAnchor())),
        buffers(ValueRange(kernel.getInputs())) {
    RankedTensorType type = op.getRows().getType();
    int64_t features = type.getShape().back(),
            bytes = type.getElementTypeBitWidth() / 8;
    pieceSize = std::min(mostPiece, features * bytes & -(features * bytes));
    pieceSize = std::max<int64_t>(pieceSize / bytes, 1);
    pieces = features / pieceSize;
    rowLanes = std::min(lanes, int64_t(llvm::PowerOf2Ceil(uint64_t(pieces))));
    turns = int64_t(llvm::divideCeil(pieces, rowLanes));
    laneRows = std::max<int64_t>(mostPieces / turns, 1);
  }

  void emit();

private:
  using Values = SmallVector<Value>;

  /// Lanes of a warp, warps of a block.
  static constexpr int64_t lanes = warpLanes, warps = 4;
  /// Bytes of a piece, and pieces that a lane reads at a time, at most.
  static constexpr int64_t mostPiece = 16, mostPieces = 8;

  int64_t rowsAtOnce() const { return lanes / rowLanes; }
  /// Rows of a warp.
  int64_t warpRows() const { return rowsAtOnce() * laneRows; }
  /// The lane's piece of number `turn`.
  Value pieceOf(int64_t turn) { return at.add(own, turn * rowLanes); }
  bool hasPieces(int64_t turn) const { return (turn + 1) * rowLanes <= pieces; }
  Values readPiece(Value row, int64_t turn);
  void readShifts();
  Value emitSum(ArrayRef<Values> row);
  Value emitFactor();
  void emitStore(Value row, Value sum);
  Value read(Value operand, ArrayRef<Value> indices) {
    Location loc = b.getLoc();
    return toF32(b, loc, buffers.emitRead(b, loc, operand, indices));
  }
  Value sum(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value number(double value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
  int64_t rankOf(Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getRank();
  }

  ImplicitLocOpBuilder &b;
  IndexMath at;
  KernelOp kernel;
  RowTermOp op;
  KernelBuffers buffers;
  /// Elements of a piece, pieces of a row, lanes that share a row, pieces of a
  /// row that a lane has, and rows of a lane.
  int64_t pieceSize, pieces, rowLanes, turns, laneRows;
  /// The number of the lane among those of its row.
  Value own;
  Value batch, head, component, length;
  /// The shifts that the lane's pieces meet.
  SmallVector<Values> shifts;
};

} // namespace

/// The elements of the lane's piece in `row`; of one that is not there, those
/// of the last one.
RowTermBlock::Values RowTermBlock::readPiece(Value row, int64_t turn) {
  Values place = {batch, head};
  if (rankOf(op.getRows()) == 5)
    place.push_back(component);
  Value piece = pieceOf(turn);
  if (!hasPieces(turn))
    piece = at.min(piece, pieces - 1);
  place.append({row, at.mul(piece, pieceSize)});
  if (pieceSize == 1)
    return {buffers.emitRead(b, b.getLoc(), op.getRows(), place)};
  auto type =
      VectorType::get({pieceSize}, op.getRows().getType().getElementType());
  Value piecesOfRow = vector::LoadOp::create(
      b, type, buffers.bufferOf(op.getRows()), ValueRange(place));
  Values elements;
  for (int64_t i = 0; i < pieceSize; ++i)
    elements.push_back(vector::ExtractOp::create(b, piecesOfRow, i));
  return elements;
}

void RowTermBlock::readShifts() {
  if (!op.getShifts())
    return;
  Value group = at.div(head, op.getShiftGroup());
  for (int64_t turn = 0; turn < turns; ++turn) {
    Values &shift = shifts.emplace_back();
    Value first = at.mul(at.min(pieceOf(turn), pieces - 1), pieceSize);
    for (int64_t i = 0; i < pieceSize; ++i)
      shift.push_back(
          read(op.getShifts(), {group, component, at.add(first, i)}));
  }
}

/// The sum of -x^2 / 2 and x s over a row, in all lanes that share it.
Value RowTermBlock::emitSum(ArrayRef<Values> row) {
  Value squares = number(0), products = number(0);
  for (int64_t turn = 0; turn < turns; ++turn) {
    Value before[] = {squares, products};
    for (int64_t i = 0; i < pieceSize; ++i) {
      Value x = toF32(b, b.getLoc(), row[turn][i]);
      Value shift = op.getShifts() ? shifts[turn][i] : Value();
      Value moved = op.shiftsSquare() ? sum(x, shift) : x;
      if (op.getHasSquare())
        squares = math::FmaOp::create(b, moved, moved, squares);
      if (op.hasProduct())
        products = math::FmaOp::create(b, x, shift, products);
    }
    if (hasPieces(turn))
      continue;
    Value isThere =
        at.compare(arith::CmpIPredicate::slt, pieceOf(turn), pieces);
    squares = arith::SelectOp::create(b, isThere, squares, before[0]);
    products = arith::SelectOp::create(b, isThere, products, before[1]);
  }
  Value all = math::FmaOp::create(b, squares, number(-0.5), products);
  return emitOfLanes<arith::AddFOp>(b, all, rowLanes);
}

/// 1 / v_r
Value RowTermBlock::emitFactor() {
  ArrayRef<double> factors = op.getFactors();
  Value factor = number(factors.front());
  for (auto [r, each] : llvm::enumerate(factors))
    if (each != factors.front())
      factor = arith::SelectOp::create(
          b, at.compare(arith::CmpIPredicate::eq, component, int64_t(r)),
          number(each), factor);
  return factor;
}

/// Writes the term of `row`, of `sum` over its features, if there is that row.
void RowTermBlock::emitStore(Value row, Value sum) {
  auto choice =
      scf::IfOp::create(b, at.compare(arith::CmpIPredicate::slt, row, length),
                        /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  Value term = arith::MulFOp::create(b, sum, emitFactor());
  if (Value own = op.getTerm())
    term = this->sum(read(own, rankOf(own) == 4
                                   ? Values{batch, head, component, row}
                                   : Values{batch, head, row}),
                     term);
  if (Value prior = op.getPrior())
    term = this->sum(read(prior, {head, component}), term);
  memref::StoreOp::create(b, term, kernel.getOutputs()[0],
                          ValueRange{batch, head, component, row});
}

void RowTermBlock::emit() {
  Value rows = buffers.bufferOf(op.getRows());
  auto type = cast<MemRefType>(rows.getType());
  int64_t rank = type.getRank(), components = op.getFactors().size();
  length = b.createOrFold<memref::DimOp>(rows, rank - 2);
  int64_t blockRows = warps * warpRows();
  auto grid = tile::GridOp::create(
      b,
      ValueRange{at.div(at.add(length, blockRows - 1), blockRows),
                 at.value(type.getDimSize(1) * components),
                 b.createOrFold<memref::DimOp>(rows, 0)},
      lanes * warps);
  b.setInsertionPointToStart(&grid.getBody().front());
  head = at.div(grid.getItem()[1], components);
  component = at.rem(grid.getItem()[1], components);
  batch = grid.getItem()[2];
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  own = at.rem(thread, rowLanes);
  // Lanes that share a row are a part of the block's threads in their order.
  Value first = at.add(at.add(at.mul(grid.getItem()[0], blockRows),
                              at.mul(at.div(thread, lanes), warpRows())),
                       at.rem(at.div(thread, rowLanes), rowsAtOnce()));
  readShifts();
  SmallVector<SmallVector<Values>> all(laneRows);
  for (int64_t u = 0; u < laneRows; ++u) {
    Value row = at.min(at.add(first, u * rowsAtOnce()), at.sub(length, 1));
    for (int64_t turn = 0; turn < turns; ++turn)
      all[u].push_back(readPiece(row, turn));
  }
  Values sums;
  for (ArrayRef<Values> row : all)
    sums.push_back(emitSum(row));
  // All lanes that share a row have its sum: each writes another row.
  for (int64_t begin = 0; begin < laneRows; begin += rowLanes) {
    int64_t count = std::min(rowLanes, laneRows - begin);
    Value chosen = sums[begin];
    for (int64_t i = 1; i < count; ++i)
      chosen = arith::SelectOp::create(
          b, at.compare(arith::CmpIPredicate::eq, own, i), sums[begin + i],
          chosen);
    Value row = at.add(first, at.mul(at.add(own, begin), rowsAtOnce()));
    if (count < rowLanes)
      row = arith::SelectOp::create(
          b, at.compare(arith::CmpIPredicate::slt, own, count), row, length);
    emitStore(row, chosen);
  }
}

void gpus::scheduleRowTerm(KernelOp kernel) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  RowTermBlock(b, kernel).emit();
  kernel.erase();
}
