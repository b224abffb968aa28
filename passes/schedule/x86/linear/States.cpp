// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The states of a linear attention, each over all keys.

#include "passes/schedule/x86/linear/KeyStates.h"
#include "passes/schedule/x86/linear/Linear.h"
#include "passes/schedule/x86/shared/Grid.h"
#include "passes/schedule/x86/shared/Thresholds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits the state of one key head over all keys.
class StateTile : public RowBuilder {
public:
  StateTile(ImplicitLocOpBuilder &b, KernelOp kernel, const TileSizes &sizes,
            Scratch &scratch)
      : RowBuilder(b, sizes, scratch), kernel(kernel),
        operands(kernel, sizes.lanes),
        keys(b, cast<LinearKeysOpInterface>(kernel.getAnchor()), operands,
             sizes, scratch) {}

  void takeScratch() {
    state.lost = takeMatrix(keys.featureColumns(), keys.valueColumns());
    state.totalsLost = takeMatrix(1, keys.featureColumns());
    chunk.features = takeMatrix(sizes.block, keys.featureColumns());
    chunk.values = takeMatrix(sizes.block, keys.valueColumns());
    if (keys.isAmx()) {
      chunk.turned = takeMatrix(keys.featureColumns(), sizes.block);
      chunk.thirds = keys.takeValueThirds();
      chunk.thirdsRow = at.value(0);
    }
    keys.takeScratch();
  }

  void emit(Value batch, Value head);

private:
  KernelOp kernel;
  KernelOperands operands;
  KeyStates keys;
  KeyStates::State state;
  KeyStates::Chunk chunk;
};

} // namespace

void StateTile::emit(Value batch, Value head) {
  takeScratch();
  int64_t columns = keys.featureColumns();
  ValueRange outputs = kernel.getOutputs();
  Value zero = at.value(0), row = at.mul(head, columns);
  state.sums = partOf(KernelBuffers::matrixAt(b, outputs[0], batch), row, zero,
                      columns, keys.valueColumns());
  state.totals = partOf(outputs[1], batch, row, 1, columns);
  keys.emitCleared(state);
  Value count = at.max(keys.emitCount(batch), 0);
  forEach(0, count, sizes.block, [&](Value first) {
    Value some = at.min(at.sub(count, first), sizes.block);
    Value areFinite =
        keys.isAmx() ? keys.emitAreFinite(batch, head, first, some) : Value();
    keys.emitChunk(batch, head, first, some, chunk, {}, areFinite);
    keys.emitUpdate(state, chunk, some, areFinite);
  });
  Value isFirst = at.compare(arith::CmpIPredicate::eq, head, 0);
  auto once = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(once.thenBlock());
  memref::StoreOp::create(b,
                          arith::IndexCastOp::create(b, b.getI32Type(), count),
                          outputs[2], batch);
}

void mixattn::scheduleLinearState(KernelOp kernel, const TileSizes &usual) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  auto op = cast<LinearStateOp>(kernel.getAnchor());
  LinearKeysOpInterface keys = op;
  TileSizes sizes = usual;
  sizes.block = op.getBlock();
  OperandDim of = keys.getKeysDim();
  Value key = kernel.getOperandOf(op.getKey());
  Value items =
      at.mul(b.createOrFold<memref::DimOp>(key, 0), keys.getNumKeyHeads());
  RankedTensorType states = op.getStates().getType();
  int64_t numbers =
      states.getDimSize(1) / keys.getNumKeyHeads() * states.getDimSize(2);
  Value terms = at.mul(
      at.mul(items, b.createOrFold<memref::DimOp>(key, of.dim)), numbers);
  Scratch counted;
  StateTile(b, kernel, sizes, counted).takeScratch();
  emitGrid(
      b, items,
      at.compare(arith::CmpIPredicate::sgt, terms, thresholds::fewStateTerms),
      at.value(counted.taken),
      [&](ImplicitLocOpBuilder &b, Value item, Scratch &scratch) {
        IndexMath at(b);
        StateTile(b, kernel, sizes, scratch)
            .emit(at.div(item, keys.getNumKeyHeads()),
                  at.rem(item, keys.getNumKeyHeads()));
      });
  kernel.erase();
}
