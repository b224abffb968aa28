// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The linear schedule without a causal mask: states of all keys, and reads.

#include "passes/schedule/x86/linear/LinearTile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

void LinearTile::emitState(Value number, Value states, Value stateTotals) {
  lost = takeMatrix(columns, pooledColumns);
  totalsLost = takeMatrix(1, columns);
  keyTile = takeMatrix(sizes.block, columns);
  Value values = takeMatrix(sizes.block, pooledColumns);
  rowTile = takeMatrix(1, columns);
  takeFeatureScratch();
  if (!scratch)
    return;
  Value heads = at.value(op.getNumKeyHeads()), zero = at.value(0);
  batch = at.div(number, heads);
  Value head = at.rem(number, heads);
  State state = {
      partOf(states, at.mul(number, columns), zero, columns, pooledColumns),
      lost,
      partOf(stateTotals, at.div(number, sources),
             at.mul(at.rem(number, sources), columns), 1, columns),
      totalsLost};
  emitCleared(state.sums, columns, pooledColumns);
  emitCleared(lost, columns, pooledColumns);
  fillRow(0, state.totals, zero, columns);
  fillRow(0, totalsLost, zero, columns);
  Value count = emitCount();
  forEach(0, count, sizes.block, [&](Value first) {
    Value keys = at.min(at.sub(count, first), sizes.block);
    emitKeys(head, first, keys, keyTile);
    emitValues(head, first, keys, values);
    emitUpdate(state, keyTile, values, keys);
  });
}

/// mixed_a = b2_a + sum_l w2[l,a] relu(b1_l + sum_k w1[k,l] state_k), each
/// number for itself; totals_a = sum_k normaliser[k,a] totals_k.
void LinearTile::emitMixedState(Value number, Value states, Value stateTotals,
                                Value mixed, Value mixedTotals) {
  if (!scratch)
    return;
  Value heads = at.value(op.getNumHeads()), zero = at.value(0);
  Value head = at.rem(number, heads);
  int64_t keyHeads = op.getNumKeyHeads();
  Value first = at.mul(at.div(number, heads), keyHeads);
  int64_t hidden = cast<RankedTensorType>(op.getB1().getType()).getDimSize(0);
  auto weight = [&](Value tensor, ValueRange indices) {
    return spread(loadNumber(operands.bufferOf(tensor), indices));
  };
  forEach(0, columns, 1, [&](Value row) {
    forEach(0, pooledColumns, sizes.lanes, [&](Value column) {
      SmallVector<Value> own;
      for (int64_t k = 0; k < keyHeads; ++k)
        own.push_back(load(
            states, at.add(at.mul(at.add(first, k), columns), row), column));
      auto sum = scf::ForOp::create(b, zero, at.value(hidden), at.value(1),
                                    ValueRange{weight(op.getB2(), head)});
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(sum.getBody());
        Value hidden = sum.getInductionVar();
        Value x = weight(op.getB1(), hidden);
        for (int64_t k = 0; k < keyHeads; ++k)
          x = add(x, mul(own[k], weight(op.getW1(), {at.value(k), hidden})));
        x = larger(splat(0), x);
        Value term = mul(x, weight(op.getW2(), {hidden, head}));
        scf::YieldOp::create(b, ValueRange{add(sum.getRegionIterArg(0), term)});
      }
      store(sum.getResult(0), mixed, at.add(at.mul(number, columns), row),
            column);
    });
  });
  forEach(0, columns, sizes.lanes, [&](Value column) {
    Value sum = splat(0);
    for (int64_t k = 0; k < keyHeads; ++k)
      sum = add(sum, mul(load(stateTotals, at.add(first, k), column),
                         weight(op.getNormaliser(), {at.value(k), head})));
    store(sum, mixedTotals, number, column);
  });
}

void LinearTile::emitReads(Value item, Value chunks, Value states,
                           Value stateTotals) {
  takeLeft();
  if (!scratch)
    return;
  Value number = at.div(item, chunks), chunk = at.rem(item, chunks);
  Value heads = at.value(op.getNumHeads()), zero = at.value(0);
  batch = at.div(number, heads);
  Value head = at.rem(number, heads);
  Value group = at.add(at.mul(batch, groups), at.div(head, readers));
  Value first = at.mul(chunk, sizes.block);
  Value rows = at.min(at.sub(sizeOf(op.getQueriesDim()), first), sizes.block);
  Value rightPart =
      partOf(states, at.mul(group, width()), zero, width(), pooledColumns);
  Value totalsPart = partOf(stateTotals, group, zero, 1, width());
  Value isEmpty = at.compare(arith::CmpIPredicate::sle, emitCount(), 0);
  auto choice = scf::IfOp::create(b, isEmpty, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  emitZeros(head, first, at.add(first, rows));
  b.setInsertionPointToStart(choice.elseBlock());
  emitQueries(head, first, rows);
  forEach(0, rows, sizes.rows, [&](Value row) {
    emitQuotients(head, first, row, rows, rightPart, totalsPart,
                  at.value(width()));
  });
}
