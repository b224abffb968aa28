// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The states of query heads, which an MLP makes of those of key heads.

#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/x86/linear/Linear.h"
#include "passes/schedule/x86/shared/Grid.h"
#include "passes/schedule/x86/shared/RowBuilder.h"
#include "passes/schedule/x86/shared/Thresholds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits the state of one query head, which an MLP makes.
class MixedTile : public RowBuilder {
public:
  MixedTile(ImplicitLocOpBuilder &b, KernelOp kernel, const TileSizes &sizes,
            Scratch &scratch)
      : RowBuilder(b, sizes, scratch), kernel(kernel),
        op(cast<LinearMixStatesOp>(kernel.getAnchor())) {}

  void emit(Value batch, Value head);

private:
  Value numberOf(Value tensor, ValueRange indices) {
    return spread(loadNumber(kernel.getOperandOf(tensor), indices));
  }
  Value emitMixed(ArrayRef<Value> own, Value head);

  KernelOp kernel;
  LinearMixStatesOp op;
};

} // namespace

/// b2_a + sum_l w2[l,a] relu(b1_l + sum_k w1[k,l] own_k), for head a.
Value MixedTile::emitMixed(ArrayRef<Value> own, Value head) {
  int64_t hidden = op.getB1().getType().getDimSize(0);
  auto sum = scf::ForOp::create(b, at.value(0), at.value(hidden), at.value(1),
                                ValueRange{numberOf(op.getB2(), head)});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(sum.getBody());
  Value l = sum.getInductionVar();
  Value x = numberOf(op.getB1(), l);
  for (auto [k, number] : llvm::enumerate(own))
    x = add(x, mul(number, numberOf(op.getW1(), {at.value(int64_t(k)), l})));
  x = larger(splat(0), x);
  Value term = mul(x, numberOf(op.getW2(), {l, head}));
  scf::YieldOp::create(b, ValueRange{add(sum.getRegionIterArg(0), term)});
  return sum.getResult(0);
}

void MixedTile::emit(Value batch, Value head) {
  Value states =
      KernelBuffers::matrixAt(b, kernel.getOperandOf(op.getStates()), batch);
  Value totals = kernel.getOperandOf(op.getTotals());
  Value mixed = KernelBuffers::matrixAt(b, kernel.getOutputs()[0], batch);
  Value mixedTotals = kernel.getOutputs()[1];
  int64_t rows = op.getRows(), columns = op.getStates().getType().getDimSize(2);
  forEach(0, rows, 1, [&](Value row) {
    forEach(0, columns, sizes.lanes, [&](Value column) {
      SmallVector<Value> own;
      for (int64_t k = 0; k < op.getNumKeyHeads(); ++k)
        own.push_back(load(states, at.add(at.value(k * rows), row), column));
      store(emitMixed(own, head), mixed, at.add(at.mul(head, rows), row),
            column);
    });
  });
  // totals_a = sum_k normaliser[k,a] totals_k
  forEach(0, rows, sizes.lanes, [&](Value column) {
    Value sum = splat(0);
    for (int64_t k = 0; k < op.getNumKeyHeads(); ++k)
      sum =
          add(sum, mul(load(totals, batch, at.add(at.value(k * rows), column)),
                       numberOf(op.getNormaliser(), {at.value(k), head})));
    store(sum, mixedTotals, batch, at.add(at.mul(head, rows), column));
  });
}

void mixattn::scheduleLinearMixStates(KernelOp kernel, const TileSizes &sizes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  auto op = cast<LinearMixStatesOp>(kernel.getAnchor());
  int64_t heads = op.getNumHeads();
  Value items = at.mul(
      b.createOrFold<memref::DimOp>(kernel.getOperandOf(op.getStates()), 0),
      heads);
  int64_t numbers = op.getRows() * op.getStates().getType().getDimSize(2) *
                    op.getB1().getType().getDimSize(0) *
                    (op.getNumKeyHeads() + 1);
  emitGrid(b, items,
           at.compare(arith::CmpIPredicate::sgt, at.mul(items, numbers),
                      thresholds::fewStateTerms),
           at.value(0),
           [&](ImplicitLocOpBuilder &b, Value item, Scratch &scratch) {
             IndexMath at(b);
             MixedTile(b, kernel, sizes, scratch)
                 .emit(at.div(item, heads), at.rem(item, heads));
           });
  kernel.erase();
}
