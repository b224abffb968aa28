// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Causal linear attention: states over chunks of keys, read by chunks of
// queries.

#include "passes/schedule/x86/linear/KeyStates.h"
#include "passes/schedule/x86/linear/Linear.h"
#include "passes/schedule/x86/linear/QueryReads.h"
#include "passes/schedule/x86/shared/FiniteRows.h"
#include "passes/schedule/x86/shared/Grid.h"
#include "passes/schedule/x86/shared/Thresholds.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits one item: a batch row, one key head and the query heads that read it,
/// or all heads where a mixer joins states. It walks over all its keys, since
/// each chunk needs the state after the one before.
///
/// What a query reads by is its features and its scores with the keys of its
/// chunk, side by side; states and values lie one below the other in `right`.
class CausalTile : public RowBuilder {
public:
  CausalTile(ImplicitLocOpBuilder &b, KernelOp kernel, const TileSizes &sizes,
             Scratch &scratch);

  /// How many key heads have states that a query reads side by side, how many
  /// query heads read the same, and items per batch row.
  int64_t numGroups() const { return groups; }
  void takeScratch();
  void emit(Value batch, Value group);

private:
  int64_t columns() const { return keys.featureColumns(); }
  KeyStates::State stateOf(Value source);
  Value valuesOf(Value source) {
    return partOf(right,
                  at.add(at.mul(source, sizes.block), sources * columns()),
                  at.value(0), sizes.block, keys.valueColumns());
  }
  Value turnedOf(Value source) {
    return partOf(turnedTile, at.mul(source, columns()), at.value(0), columns(),
                  sizes.block);
  }
  /// The first row of the thirds of the values of `source`.
  Value thirdsRowOf(Value source) {
    int64_t rows = Thirds::termsOf(sizes.block, Thirds::Right::Exact) / 2;
    return at.add(at.mul(source, rows), sources * reads.featureTerms() / 2);
  }
  KeyStates::Chunk chunkOf(Value source);
  void forEachReader(llvm::function_ref<void(Value head)> inside) {
    Value first = at.mul(group, readers);
    forEach(first, at.add(first, readers), 1, inside);
  }
  void emitSources(Value first, Value count, bool isRead, Value areFinite);
  void emitUpdates(Value count, Value areFinite);
  Value emitThirds(Value areFinite);
  void emitSeen(Value scores, int64_t rows, Value row, Value count);
  void emitScores(Value row, Value count);
  void emitScoresByAmx(Value row, Value count);
  void emitReads(Value head, Value query, Value rows, Value count);
  void emitReadsByAmx(Value head, Value query, Value rows, Value count);
  void emitChunk(Value query, Value rows, Value key, Value count,
                 Value areFinite);
  Value emitAreFinite(Value first, Value count);

  LinearAttentionOpInterface op;
  KernelOperands operands;
  int64_t sources, readers, groups;
  KeyStates keys;
  QueryReads reads;
  Thirds thirds;
  Value batch, group, firstSource;
  Value right, lost, totals, totalsLost, keyTile, turnedTile;
  /// By AMX: the thirds of `right`, and of `turnedTile` as a right side.
  Value rightThirds, turnedThirds;
};

} // namespace

CausalTile::CausalTile(ImplicitLocOpBuilder &b, KernelOp kernel,
                       const TileSizes &sizes, Scratch &scratch)
    : RowBuilder(b, sizes, scratch),
      op(cast<LinearAttentionOpInterface>(kernel.getAnchor())),
      operands(kernel, sizes.lanes),
      sources(op.getPremixer() ? op.getNumKeyHeads() : 1),
      readers(op.getPremixer() ? op.getNumHeads() : op.getKeyGroup()),
      groups(op.getNumHeads() / readers), keys(b, op, operands, sizes, scratch),
      reads(b, op, operands, kernel.getOutputs()[0], sizes, scratch, sources,
            /*inside=*/sizes.block),
      thirds(b, sizes, scratch) {
  assert(keys.isAmx() == reads.isAmx() && "results have the type of values");
}

void CausalTile::takeScratch() {
  int64_t pooled = keys.valueColumns();
  right = takeMatrix(reads.width(), pooled);
  lost = takeMatrix(sources * columns(), pooled);
  totals = takeMatrix(1, reads.width());
  totalsLost = takeMatrix(1, sources * columns());
  keyTile = takeMatrix(sources * sizes.block, columns());
  turnedTile = takeMatrix(sources * columns(), sizes.block);
  if (reads.isAmx()) {
    Type bf16 = b.getBF16Type();
    rightThirds = takeMatrix(reads.terms() / 2, 2 * pooled, bf16);
    turnedThirds =
        takeMatrix(sources * reads.featureTerms() / 2, 2 * sizes.block, bf16);
  }
  reads.takeScratch();
  keys.takeScratch();
}

KeyStates::Chunk CausalTile::chunkOf(Value source) {
  KeyStates::Chunk chunk;
  chunk.features = partOf(keyTile, at.mul(source, sizes.block), at.value(0),
                          sizes.block, columns());
  chunk.values = valuesOf(source);
  chunk.turned = turnedOf(source);
  if (keys.isAmx()) {
    chunk.thirds = rightThirds;
    chunk.thirdsRow = thirdsRowOf(source);
  }
  return chunk;
}

KeyStates::State CausalTile::stateOf(Value source) {
  Value row = at.mul(source, columns()), zero = at.value(0);
  return {partOf(right, row, zero, columns(), keys.valueColumns()),
          partOf(totals, zero, row, 1, columns()),
          partOf(lost, row, zero, columns(), keys.valueColumns()),
          partOf(totalsLost, zero, row, 1, columns())};
}

/// Features and values of `count` keys from `first` on, of all sources, and
/// the features turned for scores where the chunk `isRead`; whether the values
/// `areFinite`, for AMX.
void CausalTile::emitSources(Value first, Value count, bool isRead,
                             Value areFinite) {
  KeyStates::Readers readers;
  readers.areScores = isRead;
  // Products run over the rows of all sources.
  readers.areOfAllRows = sources > 1;
  forEach(0, sources, 1, [&](Value source) {
    keys.emitChunk(batch, at.add(firstSource, source), first, count,
                   chunkOf(source), readers, areFinite);
  });
}

void CausalTile::emitUpdates(Value count, Value areFinite) {
  forEach(0, sources, 1, [&](Value source) {
    keys.emitUpdate(stateOf(source), chunkOf(source), count, areFinite);
  });
}

/// Writes the thirds of states and of turned keys where values `areFinite`.
/// Whether they are, and states, too: then thirds are multiplied.
Value CausalTile::emitThirds(Value areFinite) {
  Value states = partOf(right, at.value(0), at.value(0), sources * columns(),
                        keys.valueColumns());
  emitIf(areFinite, [&] {
    reads.emitStateThirds(states, rightThirds);
    reads.emitStateThirds(turnedTile, turnedThirds);
  });
  Value are = FiniteRows(b, sizes).emitAreFinite(states, at.value(0),
                                                 at.value(sources * columns()));
  return arith::AndIOp::create(b, are, areFinite);
}

/// Sets `scores` of `rows` queries from `row` on to 0 for keys that come later,
/// and after the `count` keys of the chunk.
void CausalTile::emitSeen(Value scores, int64_t rows, Value row, Value count) {
  auto maskType = VectorType::get({sizes.lanes}, b.getI1Type());
  forEach(0, sizes.block, sizes.lanes, [&](Value lane) {
    auto emitRow = [&](Value r) {
      Value seen = at.min(at.add(at.add(row, r), 1), count);
      Value mask = vector::CreateMaskOp::create(b, maskType,
                                                ValueRange{at.sub(seen, lane)});
      Value score = load(scores, r, lane);
      store(arith::SelectOp::create(b, mask, score, splat(0)), scores, r, lane);
    };
    if (rows > sizes.rows)
      return forEach(0, rows, 1, emitRow);
    for (int64_t r = 0; r < rows; ++r)
      emitRow(at.value(r));
  });
}

/// The scores of a few queries from `row` on with the `count` keys of the
/// chunk, and 0 with those that come later.
void CausalTile::emitScores(Value row, Value count) {
  forEach(0, sources, 1, [&](Value source) {
    Value begin = at.add(at.mul(source, sizes.block), sources * columns());
    Value scores = partOf(reads.left, row, begin, sizes.rows, sizes.block);
    Value from = at.mul(source, columns());
    tile::ProductOp::create(
        b, partOf(reads.left, at.value(0), from, sizes.block, columns()), row,
        turnedOf(source), scores);
    emitSeen(scores, sizes.rows, row, count);
  });
}

/// The same of more queries, and the thirds of their scores.
void CausalTile::emitScoresByAmx(Value row, Value count) {
  constexpr int64_t rows = QueryReads::amxRows;
  int64_t terms = reads.featureTerms(),
          inside = Thirds::termsOf(sizes.block, Thirds::Right::Exact);
  Value zero = at.value(0);
  Value left = partOf(reads.leftThirds, row, zero, rows, reads.terms());
  forEach(0, sources, 1, [&](Value source) {
    Value begin = at.add(at.mul(source, sizes.block), sources * columns());
    Value scores = partOf(reads.left, row, begin, rows, sizes.block);
    Value from = at.mul(source, terms);
    thirds.emitProduct(partOf(left, zero, from, rows, terms), zero,
                       partOf(turnedThirds, at.mul(source, terms / 2), zero,
                              terms / 2, 2 * sizes.block),
                       at.value(terms), scores);
    emitSeen(scores, rows, row, count);
    thirds.emitLeft(scores, at.value(rows), left,
                    at.add(at.mul(source, inside), sources * terms),
                    Thirds::Right::Exact);
  });
}

/// Emits scores and quotients of `rows` queries of `head` from `query` on.
void CausalTile::emitReads(Value head, Value query, Value rows, Value count) {
  forEach(0, rows, sizes.rows, [&](Value row) {
    emitScores(row, count);
    Value seen = at.min(at.add(row, sizes.rows), count);
    reads.emitQuotients(batch, head, query, row, rows, right, totals,
                        sources > 1 ? at.value(reads.width())
                                    : at.add(seen, columns()));
  });
}

void CausalTile::emitReadsByAmx(Value head, Value query, Value rows,
                                Value count) {
  reads.emitQueryThirds(rows);
  forEach(0, rows, QueryReads::amxRows, [&](Value row) {
    emitScoresByAmx(row, count);
    Value seen = at.min(at.add(row, QueryReads::amxRows), count);
    Value terms = thirds.emitTerms(seen, Thirds::Right::Exact);
    reads.emitQuotientsByAmx(batch, head, query, row, rows, rightThirds, totals,
                             sources > 1 ? at.value(reads.terms())
                                         : at.add(terms, reads.featureTerms()));
  });
}

/// A chunk of `rows` queries from `query` on, which `count` keys from `key` on
/// are aligned with; whether their values `areFinite`.
void CausalTile::emitChunk(Value query, Value rows, Value key, Value count,
                           Value areFinite) {
  emitSources(key, count, /*isRead=*/true, areFinite);
  Value byAmx = reads.isAmx() ? emitThirds(areFinite) : Value();
  forEachReader([&](Value head) {
    reads.emitQueries(batch, head, query, rows);
    if (!byAmx)
      return emitReads(head, query, rows, count);
    emitIf(
        byAmx, [&] { emitReadsByAmx(head, query, rows, count); },
        [&] { emitReads(head, query, rows, count); });
  });
  emitUpdates(count, areFinite);
}

void CausalTile::emit(Value ofBatch, Value ofGroup) {
  takeScratch();
  batch = ofBatch;
  group = ofGroup;
  firstSource = op.hasPremix() ? at.value(0) : group;
  Value zero = at.value(0);
  // The totals of scores are their sums.
  fillRow(1, totals, zero, reads.width());
  forEach(0, sources, 1,
          [&](Value source) { keys.emitCleared(stateOf(source)); });

  // Query `firstQuery` is aligned with key `firstKey`.
  auto sizeOf = [&](OperandDim of) {
    return b.createOrFold<memref::DimOp>(operands.bufferOf(of.value), of.dim);
  };
  Value queries = sizeOf(op.getQueriesDim());
  Value alignment = at.sub(sizeOf(op.getKeysDim()), queries);
  Value firstKey = at.max(alignment, 0);
  Value count = keys.emitCount(batch);
  Value isEmpty = at.compare(arith::CmpIPredicate::sle, count, 0);
  Value firstQuery = arith::SelectOp::create(b, isEmpty, queries,
                                             at.max(at.sub(0, alignment), 0));
  forEachReader(
      [&](Value head) { reads.emitZeros(batch, head, zero, firstQuery); });

  Value before = at.min(firstKey, count);
  forEach(0, before, sizes.block, [&](Value first) {
    Value some = at.min(at.sub(before, first), sizes.block);
    Value areFinite = keys.isAmx() ? emitAreFinite(first, some) : Value();
    emitSources(first, some, /*isRead=*/false, areFinite);
    emitUpdates(some, areFinite);
  });
  Value pairs = at.sub(queries, firstQuery);
  forEach(0, pairs, sizes.block, [&](Value start) {
    Value end = at.min(at.add(start, sizes.block), pairs);
    auto keysOf = [&](Value start, Value rows) {
      Value key = at.add(firstKey, start);
      return std::pair(key, at.max(at.min(at.sub(count, key), rows), 0));
    };
    auto all = keysOf(start, at.sub(end, start));
    // Within a chunk queries read values that they do not see, times 0: where
    // these are not finite, each query is a chunk of its own.
    Value areFinite = emitAreFinite(all.first, all.second);
    Value step = arith::SelectOp::create(b, areFinite, at.value(sizes.block),
                                         at.value(1));
    auto chunks = scf::ForOp::create(b, start, end, step);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(chunks.getBody());
    Value first = chunks.getInductionVar();
    Value rows = at.min(at.sub(end, first), step);
    auto own = keysOf(first, rows);
    emitChunk(at.add(firstQuery, first), rows, own.first, own.second,
              areFinite);
  });
}

/// Whether the values of `count` keys from `first` on, of all sources, are
/// finite.
Value CausalTile::emitAreFinite(Value first, Value count) {
  Value all = arith::ConstantOp::create(b, b.getBoolAttr(true));
  auto loop = scf::ForOp::create(b, at.value(0), at.value(sources), at.value(1),
                                 ValueRange{all});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value head = at.add(firstSource, loop.getInductionVar());
  Value areFinite = keys.emitAreFinite(batch, head, first, count);
  scf::YieldOp::create(b, ValueRange{arith::AndIOp::create(
                              b, loop.getRegionIterArg(0), areFinite)});
  return loop.getResult(0);
}

void mixattn::scheduleCausalLinear(KernelOp kernel, const TileSizes &sizes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  auto op = cast<LinearAttentionOpInterface>(kernel.getAnchor());
  auto sizeOf = [&](OperandDim of) {
    return b.createOrFold<memref::DimOp>(kernel.getOperandOf(of.value), of.dim);
  };
  Scratch counted;
  CausalTile shape(b, kernel, sizes, counted);
  shape.takeScratch();
  int64_t groups = shape.numGroups();
  Value batches = sizeOf(op.getBatchDim());
  Value rows = at.add(at.mul(sizeOf(op.getQueriesDim()), op.getNumHeads()),
                      at.mul(sizeOf(op.getKeysDim()), op.getNumKeyHeads()));
  Value terms = at.mul(at.mul(batches, rows),
                       op.getNumFeatures() * op.getValueType().getDimSize(3));
  emitGrid(
      b, at.mul(batches, groups),
      at.compare(arith::CmpIPredicate::sgt, terms, thresholds::fewStateTerms),
      at.value(counted.taken),
      [&](ImplicitLocOpBuilder &b, Value item, Scratch &scratch) {
        IndexMath at(b);
        CausalTile(b, kernel, sizes, scratch)
            .emit(at.div(item, groups), at.rem(item, groups));
      });
  kernel.erase();
}
