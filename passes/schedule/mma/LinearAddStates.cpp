// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of the states of spans of keys.

#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/mma/Linear.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits rows of sums, a thread each of their numbers.
class AddedRows {
public:
  AddedRows(ImplicitLocOpBuilder &b, KernelOp kernel)
      : b(b), at(b), op(cast<LinearAddStatesOp>(kernel.getAnchor())),
        kernel(kernel) {}

  void emit();

private:
  static constexpr int64_t threads = 64;

  void emitSum(Value from, Value to, ValueRange place);

  ImplicitLocOpBuilder &b;
  IndexMath at;
  LinearAddStatesOp op;
  KernelOp kernel;
  Value batch, spans;
};

} // namespace

/// Adds up number `place` of all spans of `from`, and writes what it is before
/// each, or in the end, to `to`. What a sum loses is taken from the next term
/// (Kahan 1965). Some spans are loaded at once: a load takes much longer than a
/// sum.
void AddedRows::emitSum(Value from, Value to, ValueRange place) {
  constexpr int64_t loads = 8;
  auto placeOf = [&](Value span) {
    SmallVector<Value> all = {batch};
    if (span)
      all.push_back(span);
    llvm::append_range(all, place);
    return all;
  };
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  auto loop = scf::ForOp::create(b, at.value(0), spans, at.value(loads),
                                 ValueRange{zero, zero});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value last = at.sub(spans, 1), sum = loop.getRegionIterArg(0),
          lost = loop.getRegionIterArg(1);
    SmallVector<Value> terms;
    for (int64_t i = 0; i < loads; ++i) {
      Value span = at.min(at.add(loop.getInductionVar(), i), last);
      terms.push_back(memref::LoadOp::create(b, from, placeOf(span)));
    }
    for (auto [i, own] : llvm::enumerate(terms)) {
      Value span = at.add(loop.getInductionVar(), int64_t(i));
      Value isThere = at.compare(arith::CmpIPredicate::slt, span, spans);
      if (op.getBefore()) {
        auto choice = scf::IfOp::create(b, isThere, /*withElseRegion=*/false);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(choice.thenBlock());
        memref::StoreOp::create(b, sum, to, placeOf(span));
      }
      Value term = arith::SubFOp::create(b, own, lost);
      Value next = arith::AddFOp::create(b, sum, term);
      Value gained = arith::SubFOp::create(b, next, sum);
      Value left = arith::SubFOp::create(b, gained, term);
      // An infinity has lost nothing.
      Value isNaN =
          arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, left, left);
      left = arith::SelectOp::create(b, isNaN, zero, left);
      sum = arith::SelectOp::create(b, isThere, next, sum);
      lost = arith::SelectOp::create(b, isThere, left, lost);
    }
    scf::YieldOp::create(b, ValueRange{sum, lost});
  }
  if (!op.getBefore())
    memref::StoreOp::create(b, loop.getResult(0), to, placeOf(Value()));
}

void AddedRows::emit() {
  ArrayRef<int64_t> shape = op.getStates().getType().getShape();
  Value states = kernel.getOperandOf(op.getStates()),
        totals = kernel.getOperandOf(op.getTotals());
  ValueRange outputs = kernel.getOutputs();
  auto sizeOf = [&](int64_t dim) {
    return b.createOrFold<memref::DimOp>(states, dim);
  };
  spans = sizeOf(1);
  auto grid = tile::GridOp::create(
      b, ValueRange{at.value(shape[2]), at.value(1), sizeOf(0)}, threads);
  b.setInsertionPointToStart(&grid.getBody().front());
  Value row = grid.getItem()[0];
  batch = grid.getItem()[2];
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  auto isFirst =
      scf::IfOp::create(b, at.compare(arith::CmpIPredicate::eq, thread, 0),
                        /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(isFirst.thenBlock());
    emitSum(totals, outputs[1], row);
  }
  auto loop =
      scf::ForOp::create(b, thread, at.value(shape[3]), at.value(threads));
  b.setInsertionPointToStart(loop.getBody());
  emitSum(states, outputs[0], {row, loop.getInductionVar()});
}

void mma::scheduleLinearAddStates(KernelOp kernel) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  AddedRows(b, kernel).emit();
  kernel.erase();
}
