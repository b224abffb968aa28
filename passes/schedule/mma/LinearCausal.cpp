// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Causal linear attention on tensor cores: states over chunks of keys, read by
// chunks of queries.

#include "passes/schedule/mma/Linear.h"
#include "passes/schedule/mma/LinearKeys.h"
#include "passes/schedule/mma/LinearReads.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

static constexpr int64_t chunk = LinearSizes::chunk;

namespace {

/// Emits one item: a batch row, a key head and the query heads that read it,
/// and some columns of values. It walks over all its keys, since each chunk
/// needs the state after the one before.
class CausalBlock : public LinearKeys {
public:
  CausalBlock(ImplicitLocOpBuilder &b, KernelOp kernel, LinearGenericOp op,
              const LinearSizes &sizes)
      : LinearKeys(b, kernel, op, sizes), op(op), queries(*this, op) {}

  void emit();

private:
  /// A chunk of `rows` queries from `query` on.
  struct Chunk {
    Value query, rows;
  };
  void forEachReader(function_ref<void(Value head)> inside);
  Value emitScores();
  void emitResults(Value reader, const Chunk &own);
  Value emitSumAgain(Value row, Value column);
  Value targetOf(Value reader) {
    return KernelBuffers::matrixAt(b, kernel.getOutputs()[0], {batch, reader});
  }

  LinearGenericOp op;
  LinearQueries queries;
  Quotient quotient = {op.getEps().convertToDouble(),
                       op.getOutputScale().convertToDouble()};
  Halves stateTile;
};

} // namespace

void CausalBlock::forEachReader(function_ref<void(Value head)> inside) {
  int64_t readers = LinearAttentionOpInterface(op).getKeyGroup();
  if (readers == 1)
    return inside(head);
  Value first = at.mul(head, readers);
  forEach(first, at.add(first, readers), 1, inside);
}

/// Scores of the chunk's queries with those of its keys that they see.
Value CausalBlock::emitScores() {
  Value scores = zeros(chunk);
  for (int64_t panel = 0; panel < sizes.panels; ++panel)
    scores = emitProduct(panelOf(queries.tile, panel), /*isTurned=*/false,
                         panelOf(keys, panel), /*isTransposed=*/true, scores);
  return map(scores, 1,
             [&](Value row, Value column, ValueRange elements) -> Values {
               Value isSeen =
                   at.compare(arith::CmpIPredicate::sle, column, row);
               return {
                   arith::SelectOp::create(b, isSeen, elements[0], number(0))};
             })
      .front();
}

void CausalBlock::emitResults(Value reader, const Chunk &own) {
  queries.emitQueries(reader, own.query, own.rows);
  emitBarrier();
  Value sums = emitProduct(asOperands(emitScores()), /*isTurned=*/false, values,
                           /*isTransposed=*/false, zeros(sizes.width()));
  sums = queries.emitReads(stateTile, sums);
  Value results = emitQuotients(sums, quotient);
  Value target = targetOf(reader);
  emitStore(results, target, own.query, at.add(own.query, own.rows));
  // Queries read values of the chunk that they do not see, times 0.
  emitRowsAgain(
      results, target, own.query, own.rows, quotient,
      [&](Value row, Value column) { return emitSumAgain(row, column); });
  emitBarrier();
}

/// The sum that the query in `row` has in `column`, by one lane, of the state
/// and of the keys that it sees.
Value CausalBlock::emitSumAgain(Value row, Value column) {
  Value inside = emitSum(at.add(row, 1), [&](Value key) -> Value {
    Value score =
        emitSum(at.value(sizes.features), [&](Value feature) -> Value {
          return arith::MulFOp::create(b, featureAt(queries.tile, row, feature),
                                       featureAt(keys, key, feature));
        });
    return arith::MulFOp::create(b, score, numberAt(values, key, column));
  });
  return arith::AddFOp::create(b, queries.emitReadAgain(stateTile, row, column),
                               inside);
}

void CausalBlock::emit() {
  emitItem(makeGrid());
  takeTiles();
  queries.takeTiles();
  stateTile = takeTile(sizes.panels, sizes.width());
  LinearAttentionOpInterface attention = op;
  auto countOf = [&](OperandDim of) { return sizeOf(of.value, of.dim); };
  Value numQueries = countOf(attention.getQueriesDim());
  // Query `firstQuery` is aligned with key `firstKey`.
  Value alignment = at.sub(countOf(attention.getKeysDim()), numQueries);
  Value count = emitCount(), firstKey = at.max(alignment, 0);
  Value isEmpty = at.compare(arith::CmpIPredicate::sle, count, 0);
  Value firstQuery = arith::SelectOp::create(
      b, isEmpty, numQueries, at.max(at.sub(at.value(0), alignment), 0));
  forEachReader([&](Value reader) {
    forEach(at.value(0), firstQuery, chunk, [&](Value query) {
      emitStore(zeros(sizes.width()), targetOf(reader), query, firstQuery);
    });
  });
  Value before = at.min(firstKey, count);
  State state =
      emitLoop(before, emitNoState(), [&](Value key, const State &state) {
        emitKeys(key, at.min(at.sub(before, key), chunk));
        emitBarrier();
        State next = emitUpdate(state);
        emitBarrier();
        return next;
      });
  Value pairs = at.sub(numQueries, firstQuery);
  emitLoop(pairs, state, [&](Value start, const State &state) {
    Value rows = at.min(at.sub(pairs, start), chunk);
    Value key = at.add(firstKey, start);
    emitKeys(key, at.max(at.min(at.sub(count, key), rows), 0));
    for (auto [panel, sums] : llvm::enumerate(state))
      emitPanel(panelOf(stateTile, int64_t(panel)), sums);
    forEachReader([&](Value reader) {
      emitResults(reader, {at.add(firstQuery, start), rows});
    });
    State next = emitUpdate(state);
    emitBarrier();
    return next;
  });
}

void mma::scheduleCausalLinear(KernelOp kernel) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  auto op = cast<LinearGenericOp>(kernel.getAnchor());
  LinearSizes sizes = LinearSizes::of(LinearKeysOpInterface(op));
  CausalBlock(b, kernel, op, sizes).emit();
  kernel.erase();
}
