// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The states of query heads, which an MLP makes of those of key heads.

#include "passes/body/FeatureMap.h"
#include "passes/body/ScoreBody.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/mma/Linear.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits rows of states, a thread each of their numbers.
class MixedRows {
public:
  MixedRows(ImplicitLocOpBuilder &b, KernelOp kernel)
      : b(b), at(b), kernel(kernel),
        op(cast<LinearMixStatesOp>(kernel.getAnchor())),
        buffers(ValueRange(kernel.getInputs())) {}

  void emit();

private:
  static constexpr int64_t threads = 128;

  Value read(Value operand, ValueRange place) {
    Location loc = b.getLoc();
    return toF32(b, loc, buffers.emitRead(b, loc, operand, place));
  }
  Value multiplyAdd(Value x, Value y, Value sum) {
    return arith::AddFOp::create(b, sum, arith::MulFOp::create(b, x, y));
  }
  Value emitMixed(Value row, Value column);
  Value emitTotal(Value row);
  /// Row `row` of the state of key head `k`.
  Value sourceRow(int64_t k, Value row) {
    return at.add(row, k * op.getRows());
  }

  ImplicitLocOpBuilder &b;
  IndexMath at;
  KernelOp kernel;
  LinearMixStatesOp op;
  KernelBuffers buffers;
  Value batch, head;
};

} // namespace

/// b2_a + sum_l w2[l,a] relu(b1_l + sum_k w1[k,l] S_k), for head a.
Value MixedRows::emitMixed(Value row, Value column) {
  SmallVector<Value> own;
  for (int64_t k = 0; k < op.getNumKeyHeads(); ++k)
    own.push_back(read(op.getStates(), {batch, sourceRow(k, row), column}));
  int64_t hidden = op.getB1().getType().getDimSize(0);
  auto loop = scf::ForOp::create(b, at.value(0), at.value(hidden), at.value(1),
                                 read(op.getB2(), head));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value l = loop.getInductionVar(), unit = read(op.getB1(), l);
  for (auto [k, number] : llvm::enumerate(own))
    unit =
        multiplyAdd(read(op.getW1(), {at.value(int64_t(k)), l}), number, unit);
  Value next =
      multiplyAdd(read(op.getW2(), {l, head}), emitRelu(b, b.getLoc(), unit),
                  loop.getRegionIterArg(0));
  scf::YieldOp::create(b, next);
  return loop.getResult(0);
}

/// sum_k normaliser[k,a] z_k
Value MixedRows::emitTotal(Value row) {
  Value sum = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  for (int64_t k = 0; k < op.getNumKeyHeads(); ++k)
    sum = multiplyAdd(read(op.getNormaliser(), {at.value(k), head}),
                      read(op.getTotals(), {batch, sourceRow(k, row)}), sum);
  return sum;
}

void MixedRows::emit() {
  int64_t rows = op.getRows(), columns = op.getStates().getType().getDimSize(2);
  ValueRange outputs = kernel.getOutputs();
  auto grid = tile::GridOp::create(
      b,
      ValueRange{
          at.value(rows), at.value(op.getNumHeads()),
          b.createOrFold<memref::DimOp>(buffers.bufferOf(op.getStates()), 0)},
      threads);
  b.setInsertionPointToStart(&grid.getBody().front());
  Value row = grid.getItem()[0];
  head = grid.getItem()[1];
  batch = grid.getItem()[2];
  Value to = at.add(at.mul(head, rows), row);
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  auto isFirst =
      scf::IfOp::create(b, at.compare(arith::CmpIPredicate::eq, thread, 0),
                        /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(isFirst.thenBlock());
    memref::StoreOp::create(b, emitTotal(row), outputs[1],
                            ValueRange{batch, to});
  }
  auto loop =
      scf::ForOp::create(b, thread, at.value(columns), at.value(threads));
  b.setInsertionPointToStart(loop.getBody());
  Value column = loop.getInductionVar();
  memref::StoreOp::create(b, emitMixed(row, column), outputs[0],
                          ValueRange{batch, to, column});
}

void mma::scheduleLinearMixStates(KernelOp kernel) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  MixedRows(b, kernel).emit();
  kernel.erase();
}
