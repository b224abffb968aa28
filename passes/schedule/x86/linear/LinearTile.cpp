// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps of the linear schedule: features, states, products, quotients.

#include "passes/schedule/x86/linear/LinearTile.h"

#include "dialect/tile/TileOps.h"
#include "passes/schedule/x86/shared/Calibration.h"
#include "passes/schedule/x86/shared/FiniteRows.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

LinearTile::LinearTile(ImplicitLocOpBuilder &b, KernelOp kernel,
                       const TileSizes &sizes, Value scratch)
    : FeatureRows(b, cast<LinearAttentionOpInterface>(kernel.getAnchor()),
                  kernelOperands, sizes, scratch),
      kernel(kernel), kernelOperands(kernel, sizes.lanes),
      sources(op.getPremixer() ? op.getNumKeyHeads() : 1),
      readers(op.getPremixer() ? op.getNumHeads()
              : op.getW1()     ? 1
                               : op.getKeyGroup()),
      groups(op.getNumHeads() / readers),
      pooledColumns(padded(op.getValueType().getDimSize(3))),
      inside(op.getCausal() ? sizes.block : 0) {}

/// Takes the scratch of reads by queries, in addition to `right` and `totals`.
void LinearTile::takeLeft() {
  left = takeMatrix(sizes.block, width());
  productTile = takeMatrix(sizes.rows, pooledColumns);
  rowTile = takeMatrix(1, columns);
  takeFeatureScratch();
}

LinearTile::State LinearTile::stateOf(Value source) {
  Value row = at.mul(source, columns), zero = at.value(0);
  return {partOf(right, row, zero, columns, pooledColumns),
          partOf(lost, row, zero, columns, pooledColumns),
          partOf(totals, zero, row, 1, columns),
          partOf(totalsLost, zero, row, 1, columns)};
}

/// Keys of the batch row that count.
Value LinearTile::emitCount() {
  Value keys = sizeOf(op.getKeysDim());
  Value lengths = op.getLengths();
  if (!lengths)
    return keys;
  Value count = operands.emitRead(b, b.getLoc(), lengths, ValueRange{batch});
  count = arith::IndexCastOp::create(b, b.getIndexType(), count);
  return at.min(count, keys);
}

void LinearTile::emitCleared(Value tile, int64_t rows, int64_t columns) {
  forEach(0, rows, 1, [&](Value row) { fillRow(0, tile, row, columns); });
}

/// Asks for a row of `matrix` that lies so far after `row` that memory has the
/// time to bring it.
void LinearTile::emitPrefetchAhead(Value matrix, Value row, bool isWrite) {
  emitPrefetch(matrix, at.add(row, calibration::chunksAhead * sizes.block),
               at.value(0), cast<MemRefType>(matrix.getType()).getDimSize(1),
               isWrite);
}

/// tile[row] = sum_r prior_r phi(k_r) of key `key` of `head`.
void LinearTile::emitMixedKey(Value head, Value key, Value tile, Value row) {
  Value prior = op.getPrior(), zero = at.value(0);
  auto component = [&](Value r, Value target, Value targetRow) {
    SmallVector<Value> leading = {batch, head};
    if (op.getKeyType().getRank() == 5)
      leading.push_back(r);
    Source source = {
        KernelOperands::matrixAt(b, operands.bufferOf(op.getKey()), leading),
        key, Value(), r};
    if (Value shifts = op.getShifts())
      source.shifts =
          KernelOperands::matrixAt(b, operands.bufferOf(shifts), head);
    emitPrefetchAhead(source.matrix, key);
    emitFeatures(source, target, targetRow);
  };
  if (!op.hasComponents())
    return component(zero, tile, row);
  fillRow(0, tile, row, columns);
  forEach(0, op.getNumComponents(), 1, [&](Value r) {
    component(r, rowTile, zero);
    Value weight;
    if (prior) {
      SmallVector<Value> indices = {head, r};
      if (cast<RankedTensorType>(prior.getType()).getRank() == 3)
        indices.push_back(key);
      weight = spread(loadNumber(operands.bufferOf(prior), indices));
    }
    forEach(0, columns, sizes.lanes, [&](Value column) {
      Value term = load(rowTile, zero, column);
      if (weight)
        term = mul(term, weight);
      store(add(load(tile, row, column), term), tile, row, column);
    });
  });
}

/// The features of `count` keys of `head`, from key `first` on.
void LinearTile::emitKeys(Value head, Value first, Value count, Value tile) {
  forEach(0, count, 1, [&](Value row) {
    emitMixedKey(head, at.add(first, row), tile, row);
  });
}

/// The values of the same keys, in f32; zeros after them where products run
/// over all rows.
void LinearTile::emitValues(Value head, Value first, Value count, Value tile) {
  Value matrix =
      KernelOperands::matrixAt(b, operands.bufferOf(op.getValue()),
                               {batch, at.div(head, op.getValueGroup())});
  forEach(0, count, 1, [&](Value row) {
    emitPrefetchAhead(matrix, at.add(first, row));
    forEachPart(op.getValueType().getDimSize(3), [&](Value column, Value mask) {
      store(loadPart(matrix, at.add(first, row), column, mask), tile, row,
            column);
    });
  });
  if (sources > 1)
    forEach(count, sizes.block, 1,
            [&](Value row) { fillRow(0, tile, row, pooledColumns); });
}

void LinearTile::emitUpdate(const State &state, Value keys, Value values,
                            Value count) {
  Value zero = at.value(0);
  tile::ProductClauses clauses;
  clauses.isTransposed = clauses.accumulates = true;
  clauses.count = count;
  clauses.lost = state.lost;
  tile::ProductOp::create(b, keys, zero, values, state.sums, clauses);
  forEach(0, columns, sizes.lanes, [&](Value column) {
    auto loop =
        scf::ForOp::create(b, zero, count, at.value(1), ValueRange{splat(0)});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      scf::YieldOp::create(
          b, ValueRange{add(loop.getRegionIterArg(0),
                            load(keys, loop.getInductionVar(), column))});
    }
    Value term = sub(loop.getResult(0), load(state.totalsLost, zero, column));
    Value before = load(state.totals, zero, column);
    Value total = add(before, term);
    store(total, state.totals, zero, column);
    store(sub(sub(total, before), term), state.totalsLost, zero, column);
  });
}

/// The features of `count` queries of `head` in the first columns of `left`,
/// times the mixer's entry of each source.
void LinearTile::emitQueries(Value head, Value first, Value count) {
  Value matrix = KernelOperands::matrixAt(b, operands.bufferOf(op.getQuery()),
                                          {batch, head});
  Value mixer = op.getPremixer(), zero = at.value(0);
  forEach(0, count, 1, [&](Value row) {
    Source source = {matrix, at.add(first, row), Value(), Value()};
    emitPrefetchAhead(matrix, source.row);
    if (!mixer)
      return emitFeatures(source, left, row);
    emitFeatures(source, rowTile, zero);
    forEach(0, sources, 1, [&](Value k) {
      Value weight = spread(loadNumber(operands.bufferOf(mixer), {k, head}));
      Value begin = at.mul(k, columns);
      forEach(0, columns, sizes.lanes, [&](Value column) {
        store(mul(load(rowTile, zero, column), weight), left, row,
              at.add(begin, column));
      });
    });
  });
}

/// The scores of a few queries from `row` on with the `keys` keys of the chunk,
/// and 0 with those that come later.
void LinearTile::emitScores(Value row, Value keys) {
  forEach(0, sources, 1, [&](Value source) {
    Value begin = at.add(at.mul(source, inside), sources * columns);
    Value scores = partOf(left, row, begin, sizes.rows, inside);
    Value from = at.mul(source, columns);
    tile::ProductOp::create(
        b, partOf(left, at.value(0), from, sizes.block, columns), row,
        partOf(turnedTile, from, at.value(0), columns, inside), scores);
    auto maskType = VectorType::get({sizes.lanes}, b.getI1Type());
    forEach(0, inside, sizes.lanes, [&](Value lane) {
      for (int64_t r = 0; r < sizes.rows; ++r) {
        Value seen = at.min(at.add(row, r + 1), keys);
        Value mask = vector::CreateMaskOp::create(
            b, maskType, ValueRange{at.sub(seen, lane)});
        Value score = load(scores, at.value(r), lane);
        store(arith::SelectOp::create(b, mask, score, splat(0)), scores,
              at.value(r), lane);
      }
    });
  });
}

/// Writes the results of a few of `queries` queries of `head`, from `row` on;
/// the chunk begins with query `first`. Products run over the first `terms`
/// rows of `rightPart`.
void LinearTile::emitQuotients(Value head, Value first, Value row,
                               Value queries, Value rightPart, Value totalsPart,
                               Value terms) {
  tile::ProductClauses clauses;
  clauses.count = terms;
  tile::ProductOp::create(b, left, row, rightPart, productTile, clauses);
  Value target =
      KernelOperands::matrixAt(b, kernel.getOutputs()[0], {batch, head});
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  };
  forEach(row, at.min(at.add(row, sizes.rows), queries), 1, [&](Value query) {
    Value sum = emitDot(left, query, totalsPart, width());
    sum = add(sum, number(op.getEps().convertToDouble()));
    Value isZero =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, number(0));
    Value factor = arith::DivFOp::create(
        b, number(op.getOutputScale().convertToDouble()), sum);
    Value factors = spread(factor);
    emitPrefetchAhead(target, at.add(first, query), /*isWrite=*/true);
    forEachPart(op.getValueType().getDimSize(3), [&](Value column, Value mask) {
      Value result =
          mul(load(productTile, at.sub(query, row), column), factors);
      result = arith::SelectOp::create(b, isZero, splat(0), result);
      storePart(result, target, at.add(first, query), column, mask);
    });
  });
}

/// Zeros for the queries of `head` from `first` to before `last`.
void LinearTile::emitZeros(Value head, Value first, Value last) {
  Value target =
      KernelOperands::matrixAt(b, kernel.getOutputs()[0], {batch, head});
  forEach(first, last, 1, [&](Value row) {
    forEachPart(op.getValueType().getDimSize(3), [&](Value column, Value mask) {
      storePart(splat(0), target, row, column, mask);
    });
  });
}

/// Features and values of `count` keys from `first` on, of all sources, and
/// the features turned for scores where the chunk `isRead`.
void LinearTile::emitChunkSources(Value first, Value count, bool isRead) {
  forEach(0, sources, 1, [&](Value source) {
    Value head = at.add(firstSource, source);
    emitKeys(head, first, count, keysOf(source));
    emitValues(head, first, count, valuesOf(source));
    if (isRead)
      tile::PackOp::create(b, keysOf(source), at.value(0), at.value(0),
                           at.max(count, 1), at.value(columns),
                           b.getF32FloatAttr(1.0),
                           partOf(turnedTile, at.mul(source, columns),
                                  at.value(0), columns, inside));
  });
}

void LinearTile::emitChunkUpdates(Value count) {
  forEach(0, sources, 1, [&](Value source) {
    emitUpdate(stateOf(source), keysOf(source), valuesOf(source), count);
  });
}

void LinearTile::emitCausal(Value number) {
  right = takeMatrix(width(), pooledColumns);
  lost = takeMatrix(sources * columns, pooledColumns);
  totals = takeMatrix(1, width());
  totalsLost = takeMatrix(1, sources * columns);
  keyTile = takeMatrix(sources * sizes.block, columns);
  turnedTile = takeMatrix(sources * columns, inside);
  takeLeft();
  if (!scratch)
    return;
  batch = at.div(number, groups);
  Value group = at.rem(number, groups);
  firstSource = op.hasPremix() ? at.value(0) : group;
  Value zero = at.value(0);
  emitCleared(right, sources * columns, pooledColumns);
  emitCleared(lost, sources * columns, pooledColumns);
  fillRow(1, totals, zero, width());
  fillRow(0, totals, zero, sources * columns);
  fillRow(0, totalsLost, zero, sources * columns);

  // Query `firstQuery` is aligned with key `firstKey`.
  Value queries = sizeOf(op.getQueriesDim());
  Value alignment = at.sub(sizeOf(op.getKeysDim()), queries);
  Value firstKey = at.max(alignment, 0);
  Value count = emitCount();
  Value isEmpty = at.compare(arith::CmpIPredicate::sle, count, 0);
  Value firstQuery = arith::SelectOp::create(b, isEmpty, queries,
                                             at.max(at.sub(0, alignment), 0));
  auto forEachReader = [&](function_ref<void(Value)> inside) {
    Value first = at.mul(group, readers);
    forEach(first, at.add(first, readers), 1, inside);
  };
  forEachReader([&](Value head) { emitZeros(head, zero, firstQuery); });

  Value before = at.min(firstKey, count);
  forEach(0, before, sizes.block, [&](Value first) {
    Value keys = at.min(at.sub(before, first), sizes.block);
    emitChunkSources(first, keys, /*isRead=*/false);
    emitChunkUpdates(keys);
  });
  Value pairs = at.sub(queries, firstQuery);
  auto emitChunk = [&](Value start, Value rows) {
    Value key = at.add(firstKey, start);
    Value keys = at.max(at.min(at.sub(count, key), rows), 0);
    emitChunkSources(key, keys, /*isRead=*/true);
    forEachReader([&](Value head) {
      Value query = at.add(firstQuery, start);
      emitQueries(head, query, rows);
      forEach(0, rows, sizes.rows, [&](Value row) {
        emitScores(row, keys);
        Value seen = at.min(at.add(row, sizes.rows), keys);
        emitQuotients(head, query, row, rows, right, totals,
                      sources > 1 ? at.value(width()) : at.add(seen, columns));
      });
    });
    emitChunkUpdates(keys);
  };
  forEach(0, pairs, sizes.block, [&](Value start) {
    Value end = at.min(at.add(start, sizes.block), pairs);
    Value key = at.add(firstKey, start);
    Value keys = at.max(at.min(at.sub(count, key), at.sub(end, start)), 0);
    // Within a chunk queries read values that they do not see, times 0: where
    // these are not finite, each query is a chunk of its own.
    Value step = arith::SelectOp::create(b, emitAreFinite(key, keys),
                                         at.value(sizes.block), at.value(1));
    auto chunks = scf::ForOp::create(b, start, end, step);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(chunks.getBody());
    Value first = chunks.getInductionVar();
    emitChunk(first, at.min(at.sub(end, first), step));
  });
}

/// Whether the values of `count` keys from `first` on, of all sources, are
/// finite.
Value LinearTile::emitAreFinite(Value first, Value count) {
  Value all = arith::ConstantOp::create(b, b.getBoolAttr(true));
  auto loop = scf::ForOp::create(b, at.value(0), at.value(sources), at.value(1),
                                 ValueRange{all});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value head = at.add(firstSource, loop.getInductionVar());
  Value values =
      KernelOperands::matrixAt(b, operands.bufferOf(op.getValue()),
                               {batch, at.div(head, op.getValueGroup())});
  Value areFinite = FiniteRows(b, sizes).emitAreFinite(values, first, count);
  scf::YieldOp::create(b, ValueRange{arith::AndIOp::create(
                              b, loop.getRegionIterArg(0), areFinite)});
  return loop.getResult(0);
}
