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
/// and some columns of values. It walks over all its keys, or over those of a
/// span, since each chunk needs the state after the one before.
class CausalBlock : public LinearKeys {
public:
  CausalBlock(ImplicitLocOpBuilder &b, KernelOp kernel,
              LinearKeysOpInterface keys, LinearReadsOpInterface reads,
              const LinearSizes &sizes)
      : LinearKeys(b, kernel, keys, sizes), reads(reads),
        spans(dyn_cast<LinearCausalReadOp>(reads.getOperation())),
        queries(*this, reads) {}

  void emit();

private:
  State emitStateBefore(tile::GridOp grid, Value firstKey, Value endKey);
  void emitUnseeing(Value end);
  /// Keys of a chunk that are scored at a time. Beside the state and the sums
  /// of 80 columns registers hold the scores of few: with more ptxas spills
  /// some.
  int64_t countScored() const {
    constexpr int64_t mostWidth = 48;
    return sizes.width() > mostWidth ? 16 : chunk;
  }

  int64_t getNumReaders() { return reads.getNumHeads() / op.getNumKeyHeads(); }
  Value firstReader() { return at.mul(head, getNumReaders()); }
  void forEachReader(function_ref<void(Value head)> inside);
  void emitPairs(const State &state, Value count);
  Value emitScores(int64_t first, int64_t scored);
  void emitResults(Value reader, Value query);
  Value emitSumAgain(Value row, Value column);
  Value targetOf(Value reader) {
    return KernelBuffers::matrixAt(b, kernel.getOutputs()[0], {batch, reader});
  }

  LinearReadsOpInterface reads;
  /// The op, where blocks have spans.
  LinearCausalReadOp spans;
  /// The first of the block's queries, before which they end, and the key that
  /// the first is aligned with.
  Value beginQuery, endQuery, beginKey;
  LinearQueries queries;
  Quotient quotient = {reads.getEps().convertToDouble(),
                       reads.getOutputScale().convertToDouble()};
  PartsAndOnes stateTile;
};

} // namespace

void CausalBlock::forEachReader(function_ref<void(Value head)> inside) {
  if (getNumReaders() == 1)
    return inside(head);
  Value first = firstReader();
  forEach(first, at.add(first, getNumReaders()), 1, inside);
}

/// Scores of the chunk's queries with those of `scored` of its keys from
/// `first` on that they see.
Value CausalBlock::emitScores(int64_t first, int64_t scored) {
  Value scores = zeros(scored);
  for (int64_t panel = 0; panel < sizes.panels; ++panel)
    scores = emitProduct(panelOf(queries.tile, panel), /*isTurned=*/false,
                         rowsOf(keys, panel * chunk + first, scored),
                         /*isTransposed=*/true, scores);
  return map(scores, 1,
             [&](Value row, Value column, ValueRange elements) -> Values {
               Value isSeen = at.compare(arith::CmpIPredicate::sle,
                                         at.add(column, first), row);
               return {
                   arith::SelectOp::create(b, isSeen, elements[0], number(0))};
             })
      .front();
}

/// The results of `reader` for the queries from `query` on, whose features are
/// there.
void CausalBlock::emitResults(Value reader, Value query) {
  Value sums = zeros(sizes.width());
  int64_t scored = countScored();
  for (int64_t first = 0; first < chunk; first += scored)
    sums = emitProduct(asOperands(emitScores(first, scored)),
                       /*isTurned=*/false, rowsOf(values, first, scored),
                       /*isTransposed=*/false, sums);
  sums = queries.emitReads(stateTile, sums);
  Value results = emitQuotients(sums, quotient);
  Value target = targetOf(reader);
  emitStore(results, target, query, endQuery);
  // Queries read values of the chunk that they do not see, times 0.
  emitRowsAgain(
      results, target, query, at.sub(endQuery, query), quotient,
      [&](Value row, Value column) { return emitSumAgain(row, column); });
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

/// Writes zeros for the queries before `end`, which see no key.
void CausalBlock::emitUnseeing(Value end) {
  forEachReader([&](Value reader) {
    forEach(at.value(0), end, chunk, [&](Value query) {
      emitStore(zeros(sizes.width()), targetOf(reader), query, end);
    });
  });
}

/// The state of the keys before `endKey`: of a span that of the spans before,
/// and of its keys from `firstKey` on.
LinearKeys::State CausalBlock::emitStateBefore(tile::GridOp grid,
                                               Value firstKey, Value endKey) {
  State before = emitNoState();
  if (spans)
    for (auto [panel, sums] : llvm::enumerate(before))
      sums = readState(int64_t(panel), buffers.bufferOf(spans.getStates()),
                       buffers.bufferOf(spans.getTotals()),
                       {batch, grid.getItem()[0]});
  return emitStates(firstKey, endKey, before);
}

/// Walks over the block's queries and the keys that they are aligned with, of
/// which `count` count, from the `state` before them on. Rows of the next chunk
/// are copied while one is worked on; those of the next head, too.
void CausalBlock::emitPairs(const State &state, Value count) {
  Value pairs = at.sub(endQuery, beginQuery);
  // A span ends before the last key. Without spans that end would be `count`,
  // but take a register more, for which ptxas spills one on sm_90.
  Value endKey = spans ? at.min(count, at.add(beginKey, pairs)) : count;
  bool isLate = sizes.landsInFeatures(reads.getQuery());
  beginKeys(beginKey, endKey);
  queries.beginQueries(firstReader(), beginQuery, endQuery);
  emitLoop(pairs, state, [&](Value start, const State &state) {
    Value query = at.add(beginQuery, start), key = at.add(beginKey, start);
    // Queries, which were begun after keys, may still be on their way.
    if (isLate)
      tile::MmaWaitOp::create(b, 1);
    else
      emitWaitForCopies();
    emitKeys(key, endKey);
    for (auto [panel, sums] : llvm::enumerate(state))
      emitPanel(panelOf(stateTile, int64_t(panel)), sums);
    if (isLate) {
      emitWaitForCopies();
      queries.emitQueries(head, query, endQuery);
      emitBarrier();
      beginKeys(at.add(key, chunk), endKey);
      emitResults(head, query);
      emitBarrier();
      queries.beginQueries(head, at.add(query, chunk), endQuery);
      return emitUpdate(state);
    }
    if (getNumReaders() == 1) {
      queries.emitQueries(head, query, endQuery);
      emitWaitForCopies();
      beginKeys(at.add(key, chunk), endKey);
      queries.beginQueries(head, at.add(query, chunk), endQuery);
      emitResults(head, query);
      return emitUpdate(state);
    }
    emitWaitForCopies();
    beginKeys(at.add(key, chunk), endKey);
    forEachReader([&](Value reader) {
      emitWaitForCopies();
      queries.emitQueries(reader, query, endQuery);
      emitBarrier();
      Value next = at.add(reader, 1);
      Value isLast = at.compare(arith::CmpIPredicate::eq, next,
                                at.add(firstReader(), getNumReaders()));
      queries.beginQueries(
          arith::SelectOp::create(b, isLast, firstReader(), next),
          arith::SelectOp::create(b, isLast, at.add(query, chunk), query),
          endQuery);
      emitResults(reader, query);
    });
    return emitUpdate(state);
  });
  tile::MmaWaitOp::create(b, 0, /*own=*/true);
}

void CausalBlock::emit() {
  Value numSpans;
  if (spans)
    numSpans = b.createOrFold<memref::DimOp>(
        kernel.getOperandOf(spans.getStates()), 1);
  tile::GridOp grid = makeGrid(numSpans);
  emitItem(grid);
  takeTiles();
  queries.takeTiles();
  stateTile = {takeParts(sizes.panels, sizes.width(), sizes.parts())};
  auto countOf = [&](OperandDim of) { return sizeOf(of.value, of.dim); };
  Value numQueries = countOf(reads.getQueriesDim());
  // Query `firstQuery` is aligned with key `firstKey`.
  Value alignment = at.sub(countOf(op.getKeysDim()), numQueries);
  Value count = emitCount(), firstKey = at.max(alignment, 0);
  Value isEmpty = at.compare(arith::CmpIPredicate::sle, count, 0);
  Value firstQuery = arith::SelectOp::create(
      b, isEmpty, numQueries, at.max(at.sub(at.value(0), alignment), 0));
  Value firstOwn = at.value(0), firstPair = at.value(0),
        beforeOwn = at.min(firstKey, count),
        pairs = at.sub(numQueries, firstQuery), unseeing = firstQuery;
  if (spans) {
    Value span = grid.getItem()[0];
    auto keys = int64_t(spans.getSpan());
    firstOwn = at.mul(span, keys);
    Value end = at.sub(at.add(firstOwn, keys), firstKey);
    // A span whose keys all are before the first query's has none.
    Value isRead = at.compare(arith::CmpIPredicate::sgt, end, 0);
    beforeOwn = arith::SelectOp::create(b, isRead, beforeOwn, firstOwn);
    firstPair = at.max(at.sub(firstOwn, firstKey), 0);
    pairs = at.sub(at.min(end, pairs), firstPair);
    Value isFirst = at.compare(arith::CmpIPredicate::eq, span, 0);
    unseeing = arith::SelectOp::create(b, isFirst, firstQuery, at.value(0));
  }
  emitUnseeing(unseeing);
  State state = emitStateBefore(grid, firstOwn, beforeOwn);
  beginQuery = at.add(firstQuery, firstPair);
  endQuery = at.add(beginQuery, pairs);
  beginKey = at.add(firstKey, firstPair);
  emitPairs(state, count);
}

void mma::scheduleCausalLinear(KernelOp kernel, int64_t sharedBytes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  Operation *op = kernel.getAnchor();
  LinearKeysOpInterface keys = cast<LinearKeysOpInterface>(op);
  LinearReadsOpInterface reads = cast<LinearReadsOpInterface>(op);
  LinearSizes sizes = LinearSizes::ofCausal(keys, reads, sharedBytes);
  CausalBlock(b, kernel, keys, reads, sizes).emit();
  kernel.erase();
}
