// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terms that rows of queries or of keys have alone, on a GPU.

#include "passes/body/ScoreBody.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/gpu/Lanes.h"
#include "passes/schedule/gpu/Schedules.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::gpus;

namespace {

/// Emits the code of a block of threads.
class RowTermBlock {
public:
  RowTermBlock(ImplicitLocOpBuilder &b, KernelOp kernel)
      : b(b), at(b), kernel(kernel), op(cast<RowTermOp>(kernel.getAnchor())),
        buffers(ValueRange(kernel.getInputs())) {}

  void emit();

private:
  /// Lanes of a warp, warps of a block, rows of a block.
  static constexpr int64_t lanes = warpLanes, warps = 4, blockRows = 16;

  Value emitRow(Value row);
  Value emitPart(Value row, Value feature, Value sum);
  Value emitFactor();
  Value read(Value operand, ArrayRef<Value> indices) {
    Location loc = b.getLoc();
    return toF32(b, loc, buffers.emitRead(b, loc, operand, indices));
  }
  Value sum(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value product(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
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
  Value batch, head, component, lane;
};

} // namespace

/// `sum` with what one feature of `row` adds to it: -x^2 / 2 and x s.
Value RowTermBlock::emitPart(Value row, Value feature, Value sum) {
  SmallVector<Value> place = {batch, head};
  if (rankOf(op.getRows()) == 5)
    place.push_back(component);
  place.append({row, feature});
  Value x = read(op.getRows(), place), shift;
  if (op.getShifts())
    shift = read(op.getShifts(),
                 {at.div(head, op.getShiftGroup()), component, feature});
  Value moved = op.shiftsSquare() ? this->sum(x, shift) : x;
  if (op.getHasSquare())
    sum = this->sum(sum, product(product(moved, moved), number(-0.5)));
  if (op.hasProduct())
    sum = this->sum(sum, product(x, shift));
  return sum;
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

/// The term of `row`, in all lanes of a warp.
Value RowTermBlock::emitRow(Value row) {
  int64_t features =
      cast<RankedTensorType>(op.getRows().getType()).getShape().back();
  auto loop = scf::ForOp::create(b, lane, at.value(features), at.value(lanes),
                                 number(0));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        b, emitPart(row, loop.getInductionVar(), loop.getRegionIterArg(0)));
  }
  Value term =
      product(emitOfLanes<arith::AddFOp>(b, loop.getResult(0)), emitFactor());
  if (Value own = op.getTerm())
    term = sum(read(own, rankOf(own) == 4
                             ? SmallVector<Value>{batch, head, component, row}
                             : SmallVector<Value>{batch, head, row}),
               term);
  if (Value prior = op.getPrior())
    term = sum(read(prior, {head, component}), term);
  return term;
}

void RowTermBlock::emit() {
  Value rows = buffers.bufferOf(op.getRows());
  auto type = cast<MemRefType>(rows.getType());
  int64_t rank = type.getRank(), components = op.getFactors().size();
  Value length = b.createOrFold<memref::DimOp>(rows, rank - 2);
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
  lane = at.rem(thread, lanes);
  Value first = at.mul(grid.getItem()[0], blockRows);
  Value end = at.min(at.add(first, blockRows), length);
  auto loop = scf::ForOp::create(b, at.add(first, at.div(thread, lanes)), end,
                                 at.value(warps));
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar(), term = emitRow(row);
  Value isFirst = at.compare(arith::CmpIPredicate::eq, lane, 0);
  auto choice = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
  b.setInsertionPointToStart(choice.thenBlock());
  memref::StoreOp::create(b, term, kernel.getOutputs()[0],
                          ValueRange{batch, head, component, row});
}

void gpus::scheduleRowTerm(KernelOp kernel) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  RowTermBlock(b, kernel).emit();
  kernel.erase();
}
