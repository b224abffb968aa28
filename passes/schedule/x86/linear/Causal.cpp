// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Causal linear attention: states over chunks of keys, read by chunks of
// queries.

#include "passes/schedule/x86/linear/KeyStates.h"
#include "passes/schedule/x86/linear/Linear.h"
#include "passes/schedule/x86/linear/QueryReads.h"
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
  Value keysOf(Value source) {
    return partOf(keyTile, at.mul(source, sizes.block), at.value(0),
                  sizes.block, columns());
  }
  void forEachReader(llvm::function_ref<void(Value head)> inside) {
    Value first = at.mul(group, readers);
    forEach(first, at.add(first, readers), 1, inside);
  }
  void emitSources(Value first, Value count, bool isRead);
  void emitUpdates(Value count);
  void emitScores(Value row, Value count);
  void emitChunk(Value query, Value rows, Value key, Value count);
  Value emitAreFinite(Value first, Value count);

  LinearAttentionOpInterface op;
  KernelOperands operands;
  int64_t sources, readers, groups;
  KeyStates keys;
  QueryReads reads;
  Value batch, group, firstSource;
  Value right, lost, totals, totalsLost, keyTile, turnedTile;
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
            /*inside=*/sizes.block) {}

void CausalTile::takeScratch() {
  int64_t pooled = keys.valueColumns();
  right = takeMatrix(reads.width(), pooled);
  lost = takeMatrix(sources * columns(), pooled);
  totals = takeMatrix(1, reads.width());
  totalsLost = takeMatrix(1, sources * columns());
  keyTile = takeMatrix(sources * sizes.block, columns());
  turnedTile = takeMatrix(sources * columns(), sizes.block);
  reads.takeScratch();
  keys.takeScratch();
}

KeyStates::State CausalTile::stateOf(Value source) {
  Value row = at.mul(source, columns()), zero = at.value(0);
  return {partOf(right, row, zero, columns(), keys.valueColumns()),
          partOf(totals, zero, row, 1, columns()),
          partOf(lost, row, zero, columns(), keys.valueColumns()),
          partOf(totalsLost, zero, row, 1, columns())};
}

/// Features and values of `count` keys from `first` on, of all sources, and
/// the features turned for scores where the chunk `isRead`.
void CausalTile::emitSources(Value first, Value count, bool isRead) {
  forEach(0, sources, 1, [&](Value source) {
    Value head = at.add(firstSource, source);
    keys.emitKeys(batch, head, first, count, keysOf(source));
    Value values = valuesOf(source);
    keys.emitValues(batch, head, first, count, values);
    // Products run over the rows of all sources.
    if (sources > 1)
      forEach(count, sizes.block, 1,
              [&](Value row) { fillRow(0, values, row, keys.valueColumns()); });
    if (isRead)
      tile::PackOp::create(b, keysOf(source), at.value(0), at.value(0),
                           at.max(count, 1), at.value(columns()),
                           b.getF32FloatAttr(1.0),
                           partOf(turnedTile, at.mul(source, columns()),
                                  at.value(0), columns(), sizes.block));
  });
}

void CausalTile::emitUpdates(Value count) {
  forEach(0, sources, 1, [&](Value source) {
    keys.emitUpdate(stateOf(source), keysOf(source), valuesOf(source), count);
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
        partOf(turnedTile, from, at.value(0), columns(), sizes.block), scores);
    auto maskType = VectorType::get({sizes.lanes}, b.getI1Type());
    forEach(0, sizes.block, sizes.lanes, [&](Value lane) {
      for (int64_t r = 0; r < sizes.rows; ++r) {
        Value seen = at.min(at.add(row, r + 1), count);
        Value mask = vector::CreateMaskOp::create(
            b, maskType, ValueRange{at.sub(seen, lane)});
        Value score = load(scores, at.value(r), lane);
        store(arith::SelectOp::create(b, mask, score, splat(0)), scores,
              at.value(r), lane);
      }
    });
  });
}

/// A chunk of `rows` queries from `query` on, which `count` keys from `key` on
/// are aligned with.
void CausalTile::emitChunk(Value query, Value rows, Value key, Value count) {
  emitSources(key, count, /*isRead=*/true);
  forEachReader([&](Value head) {
    reads.emitQueries(batch, head, query, rows);
    forEach(0, rows, sizes.rows, [&](Value row) {
      emitScores(row, count);
      Value seen = at.min(at.add(row, sizes.rows), count);
      reads.emitQuotients(batch, head, query, row, rows, right, totals,
                          sources > 1 ? at.value(reads.width())
                                      : at.add(seen, columns()));
    });
  });
  emitUpdates(count);
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
    emitSources(first, some, /*isRead=*/false);
    emitUpdates(some);
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
    Value step =
        arith::SelectOp::create(b, emitAreFinite(all.first, all.second),
                                at.value(sizes.block), at.value(1));
    auto chunks = scf::ForOp::create(b, start, end, step);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(chunks.getBody());
    Value first = chunks.getInductionVar();
    Value rows = at.min(at.sub(end, first), step);
    auto own = keysOf(first, rows);
    emitChunk(at.add(firstQuery, first), rows, own.first, own.second);
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
