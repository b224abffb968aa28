// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Features and values of keys, chunk by chunk, and sums of their products.

#include "passes/schedule/x86/linear/KeyStates.h"

#include "dialect/tile/TileOps.h"
#include "passes/body/CompensatedSum.h"
#include "passes/schedule/x86/shared/FiniteRows.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

KeyStates::KeyStates(ImplicitLocOpBuilder &b, LinearKeysOpInterface op,
                     KernelOperands &operands, const TileSizes &sizes,
                     Scratch &scratch)
    : FeatureRows(b, op, op.getKeyType().getShape().back(), operands, sizes,
                  scratch),
      op(op), pooledColumns(padded(op.getValueType().getDimSize(3))),
      usesAmx(mayMultiplyThirds(op.getValue(), sizes)),
      thirds(b, sizes, scratch) {}

void KeyStates::takeScratch() {
  if (op.hasComponents())
    componentTile = takeMatrix(1, columns);
  if (usesAmx) {
    featureThirds = thirds.takeLeft(columns, sizes.block, Thirds::Right::Exact);
    chunkSums = takeMatrix(columns, pooledColumns);
  }
  takeFeatureScratch();
}

Value KeyStates::emitCount(Value batch) {
  OperandDim of = op.getKeysDim();
  Value keys =
      b.createOrFold<memref::DimOp>(operands.bufferOf(of.value), of.dim);
  Value lengths = op.getLengths();
  if (!lengths)
    return keys;
  Value count = operands.emitRead(b, b.getLoc(), lengths, ValueRange{batch});
  count = arith::IndexCastOp::create(b, b.getIndexType(), count);
  return at.min(count, keys);
}

void KeyStates::emitCleared(const State &state) {
  for (Value sums : {state.sums, state.lost})
    forEach(0, columns, 1,
            [&](Value row) { fillRow(0, sums, row, pooledColumns); });
  for (Value totals : {state.totals, state.totalsLost})
    fillRow(0, totals, at.value(0), columns);
}

/// tile[row] = sum_r prior_r phi(k_r) of key `key` of `head`.
void KeyStates::emitMixedKey(Value batch, Value head, Value key, Value tile,
                             Value row) {
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
    component(r, componentTile, zero);
    Value weight;
    if (prior) {
      SmallVector<Value> indices = {head, r};
      if (cast<RankedTensorType>(prior.getType()).getRank() == 3)
        indices.push_back(key);
      weight = spread(loadNumber(operands.bufferOf(prior), indices));
    }
    forEach(0, columns, sizes.lanes, [&](Value column) {
      Value term = load(componentTile, zero, column);
      if (weight)
        term = mul(term, weight);
      store(add(load(tile, row, column), term), tile, row, column);
    });
  });
}

Value KeyStates::valuesOf(Value batch, Value head) {
  return KernelOperands::matrixAt(b, operands.bufferOf(op.getValue()),
                                  {batch, at.div(head, op.getValueGroup())});
}

void KeyStates::emitValues(Value batch, Value head, Value first, Value count,
                           Value tile) {
  Value matrix = valuesOf(batch, head);
  forEach(0, count, 1, [&](Value row) {
    emitPrefetchAhead(matrix, at.add(first, row));
    forEachPart(op.getValueType().getDimSize(3), [&](Value column, Value mask) {
      store(loadPart(matrix, at.add(first, row), column, mask), tile, row,
            column);
    });
  });
}

void KeyStates::emitChunk(Value batch, Value head, Value first, Value count,
                          const Chunk &chunk, const Readers &readers,
                          Value areFinite) {
  forEach(0, count, 1, [&](Value row) {
    emitMixedKey(batch, head, at.add(first, row), chunk.features, row);
  });
  emitValues(batch, head, first, count, chunk.values);
  if (readers.areOfAllRows || usesAmx)
    forEach(count, sizes.block, 1,
            [&](Value row) { fillRow(0, chunk.values, row, pooledColumns); });
  if (readers.areScores || usesAmx)
    tile::PackOp::create(b, chunk.features, at.value(0), at.value(0),
                         at.max(count, 1), at.value(columns),
                         b.getF32FloatAttr(1.0), chunk.turned);
  if (usesAmx)
    emitIf(areFinite, [&] {
      thirds.emitRight(chunk.values, chunk.thirds, chunk.thirdsRow,
                       Thirds::Right::Exact);
    });
}

/// Adds `term` to a vector of `sums`, and keeps what is lost.
void KeyStates::emitAdded(Value term, Value sums, Value lost, Value row,
                          Value column) {
  CompensatedSum total =
      addCompensated(b, load(sums, row, column), term, load(lost, row, column));
  store(total.sum, sums, row, column);
  store(total.lost, lost, row, column);
}

void KeyStates::emitSums(const State &state, const Chunk &chunk, Value count) {
  tile::ProductClauses clauses;
  clauses.isTransposed = clauses.accumulates = true;
  clauses.count = count;
  clauses.lost = state.lost;
  tile::ProductOp::create(b, chunk.features, at.value(0), chunk.values,
                          state.sums, clauses);
}

void KeyStates::emitSumsByAmx(const State &state, const Chunk &chunk,
                              Value count) {
  constexpr auto right = Thirds::Right::Exact;
  Value zero = at.value(0);
  thirds.emitLeft(chunk.turned, at.value(columns), featureThirds, zero, right);
  int64_t all = Thirds::termsOf(sizes.block, right);
  Value values =
      partOf(chunk.thirds, chunk.thirdsRow, zero, all / 2, 2 * pooledColumns);
  thirds.emitProduct(featureThirds, zero, values,
                     thirds.emitTerms(count, right), chunkSums);
  forEach(0, columns, 1, [&](Value row) {
    forEach(0, pooledColumns, sizes.lanes, [&](Value column) {
      emitAdded(load(chunkSums, row, column), state.sums, state.lost, row,
                column);
    });
  });
}

void KeyStates::emitTotals(const State &state, const Chunk &chunk,
                           Value count) {
  Value zero = at.value(0);
  forEach(0, columns, sizes.lanes, [&](Value column) {
    auto loop =
        scf::ForOp::create(b, zero, count, at.value(1), ValueRange{splat(0)});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      scf::YieldOp::create(
          b, ValueRange{
                 add(loop.getRegionIterArg(0),
                     load(chunk.features, loop.getInductionVar(), column))});
    }
    emitAdded(loop.getResult(0), state.totals, state.totalsLost, zero, column);
  });
}

void KeyStates::emitUpdate(const State &state, const Chunk &chunk, Value count,
                           Value areFinite) {
  if (usesAmx)
    emitIf(
        areFinite, [&] { emitSumsByAmx(state, chunk, count); },
        [&] { emitSums(state, chunk, count); });
  else
    emitSums(state, chunk, count);
  emitTotals(state, chunk, count);
}

Value KeyStates::emitAreFinite(Value batch, Value head, Value first,
                               Value count) {
  return FiniteRows(b, sizes).emitAreFinite(valuesOf(batch, head), first,
                                            count);
}
