// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The states of a linear attention, each over all keys, on tensor cores.

#include "passes/schedule/mma/Linear.h"
#include "passes/schedule/mma/LinearKeys.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

namespace {

/// Emits the state of one key head, or some of its columns, over all keys, or
/// over those of a span.
class StateBlock : public LinearKeys {
public:
  StateBlock(ImplicitLocOpBuilder &b, KernelOp kernel, LinearStateOp op,
             const LinearSizes &sizes)
      : LinearKeys(b, kernel, op, sizes), op(op) {}

  void emit();

private:
  void emitResults(const State &state, Value count);

  LinearStateOp op;
  /// The span of the block; null where it has all keys.
  Value span;
};

} // namespace

void StateBlock::emitResults(const State &state, Value count) {
  ArrayRef<int64_t> shape = op.getStates().getType().getShape();
  int64_t rows =
      shape[shape.size() - 2] / LinearKeysOpInterface(op).getNumKeyHeads();
  ValueRange outputs = kernel.getOutputs();
  Value begin = at.mul(head, rows), end = at.add(begin, rows);
  Values outer = {batch};
  if (span)
    outer.push_back(span);
  Value states = KernelBuffers::matrixAt(b, outputs[0], outer);
  Value isFirst = at.compare(arith::CmpIPredicate::eq, firstColumn, 0);
  for (int64_t panel = 0; panel < sizes.panels; ++panel) {
    Value sums = state[panel];
    Value first = at.add(begin, panel * LinearSizes::chunk);
    emitStore(sums, states, first, end);
    onlyIf(isFirst, [&] {
      map(sums, 1, [&](Value row, Value column, ValueRange elements) -> Values {
        Value own = at.add(first, row);
        Value isTotal =
            both(at.compare(arith::CmpIPredicate::eq, column, sizes.columns),
                 isBelow(own, end));
        onlyIf(isTotal, [&] {
          Values place(outer);
          place.push_back(own);
          memref::StoreOp::create(b, elements[0], outputs[1], place);
        });
        return {elements[0]};
      });
    });
  }
  Value isOne =
      at.compare(arith::CmpIPredicate::eq,
                 at.add(span ? at.add(thread, span) : thread, head), 0);
  onlyIf(both(isOne, isFirst), [&] {
    memref::StoreOp::create(
        b, arith::IndexCastOp::create(b, b.getI32Type(), count), outputs[2],
        batch);
  });
}

void StateBlock::emit() {
  std::optional<uint64_t> keysOfSpan = op.getSpan();
  Value spans;
  if (keysOfSpan)
    spans = b.createOrFold<memref::DimOp>(kernel.getOutputs()[0], 1);
  tile::GridOp grid = makeGrid(spans);
  emitItem(grid);
  takeTiles();
  Value count = emitCount(), begin = at.value(0), end = count;
  if (keysOfSpan) {
    span = grid.getItem()[0];
    begin = at.mul(span, int64_t(*keysOfSpan));
    end = at.min(count, at.add(begin, int64_t(*keysOfSpan)));
  }
  emitResults(emitStates(begin, end, emitNoState()), count);
}

void mma::scheduleLinearState(KernelOp kernel, int64_t sharedBytes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  auto op = cast<LinearStateOp>(kernel.getAnchor());
  LinearSizes sizes = LinearSizes::ofStates(op, sharedBytes);
  StateBlock(b, kernel, op, sizes).emit();
  kernel.erase();
}
