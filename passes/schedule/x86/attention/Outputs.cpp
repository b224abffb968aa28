// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools values into the tile of outputs, and writes results.

#include "passes/schedule/x86/attention/Outputs.h"
#include "dialect/tile/TileOps.h"
#include "passes/schedule/x86/shared/DroppedRows.h"
#include "passes/schedule/x86/shared/FiniteRows.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

void Outputs::takeScratch() {
  outputTile = takeTile(heads * rowsOfHead());
  if (tile.isAmx()) {
    if (mayHideValues())
      valueTile = takeMatrix(rowsOfHead(), sizes.block, b.getBF16Type());
  } else if (hasPairedValues())
    valueTile = takeMatrix(sizes.block / 2, 2 * features, b.getBF16Type());
  else if (hasConvertedValues() || mayHideValues())
    valueTile = takeMatrix(sizes.block, features, b.getF32Type());
}

void Outputs::emitCleared() {
  forEach(0, heads * rowsOfHead(), 1, [&](Value row) {
    for (int64_t vector = 0; vector < sizes.vectors(); ++vector)
      store(splat(0), outputTile, row, at.value(vector * sizes.lanes));
  });
}

/// The panel of the values of `group` for the block from `firstKey` on.
Value Outputs::panelOf(Value group, Value firstKey) {
  Value block = at.div(firstKey, sizes.block);
  return KernelBuffers::matrixAt(b, valuePanels,
                                 {operands.place.batch, group, block});
}

/// The rows of numbers that are broadcast to pool the values of `keys` keys:
/// one for a key, or for a pair of keys; or, for AMX, one for a feature.
Outputs::Rows Outputs::takeValues(Value values, Value group, Value firstKey,
                                  Value keys) {
  Value first = at.value(0);
  if (tile.isAmx())
    return {panelOf(group, firstKey), first, at.value(rowsOfHead())};
  if (hasPairedValues()) {
    tile::PairOp::create(b, values, firstKey, keys, valueTile);
    return {valueTile, first, at.div(at.add(keys, 1), 2)};
  }
  if (!hasConvertedValues())
    return {values, firstKey, keys};
  tile::WidenOp::create(b, values, firstKey, at.sub(range.keys, 1), keys,
                        valueTile);
  return {valueTile, first, keys};
}

Value Outputs::wholeSquares(Value keys) {
  if (!tile.isAmx())
    return keys;
  return at.mul(at.div(at.add(keys, sizes.rows - 1), sizes.rows), sizes.rows);
}

/// The matrix of the values of `head`, a row a key.
Value Outputs::valuesOf(Value head) {
  return KernelBuffers::matrixAt(
      b, operands.bufferOf(op.getValue()),
      {operands.place.batch, at.div(head, op.getValueGroup())});
}

void Outputs::emitPooled(Value head, Value firstKey, Value keys, Value weights,
                         int64_t units, function_ref<void(Value)> unit) {
  Value group = at.div(head, op.getValueGroup());
  Value values = valuesOf(head);
  Rows pooled = takeValues(values, group, firstKey, keys);
  Value areFinite;
  if (mayHideValues()) {
    areFinite = emitAreFinite(pooled, firstKey, keys);
    pooled = emitFinite(pooled, areFinite);
  }
  tile::ProductClauses clauses;
  clauses.isAmx = tile.isAmx();
  clauses.isTransposed = !tile.isAmx();
  clauses.accumulates = true;
  clauses.units = units;
  // Weights of keys that are not there are 0 up to whole squares.
  if (!units)
    clauses.count = tile.isAmx() ? at.div(at.add(keys, 1), 2) : pooled.count;
  auto product = tile::ProductOp::create(
      b, pooled.matrix, pooled.first, weights,
      rowsOf(outputTile, outputRow(head), rowsOfHead()), clauses);
  if (units) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&product.getBody().front());
    unit(product.getBody().getArgument(0));
  }
  if (areFinite)
    emitUnless(areFinite, [&] {
      emitPooledOthers({values, firstKey, keys}, weights, head);
    });
}

Value Outputs::emitAreFar() {
  if (heads == 1 || sizes.mostUnaskedValues == 0 || tile.isAmx())
    return {};
  auto type = op.getValueType();
  int64_t bytesOfKey =
      type.getDimSize(1) * features * type.getElementTypeBitWidth() / 8;
  return at.compare(arith::CmpIPredicate::sgt, at.mul(range.keys, bytesOfKey),
                    sizes.mostUnaskedValues);
}

void Outputs::emitPooledInTurn(Value head, Value firstKey, Value keys,
                               Value weights) {
  Value areFar = emitAreFar();
  if (!areFar)
    return emitPooled(head, firstKey, keys, weights);
  Value isWhole = at.compare(arith::CmpIPredicate::eq, keys, sizes.block);
  auto choice = scf::IfOp::create(b, arith::AndIOp::create(b, areFar, isWhole),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  // After the last head of a block comes the first of the next.
  Value isLast = at.compare(arith::CmpIPredicate::eq, head, heads - 1);
  auto choose = [&](Value last, Value other) -> Value {
    return arith::SelectOp::create(b, isLast, last, other);
  };
  Value next = valuesOf(choose(at.value(0), at.add(head, 1)));
  Value start = choose(at.add(firstKey, sizes.block), firstKey);
  Value last = at.sub(range.keys, 1);
  emitPooled(head, firstKey, at.value(sizes.block), weights, sizes.block,
             [&](Value unit) {
               emitPrefetch(next, at.min(at.add(start, unit), last),
                            at.value(0), features);
             });
  b.setInsertionPointToStart(choice.elseBlock());
  emitPooled(head, firstKey, keys, weights);
}

void Outputs::emitAskedPanel(Value head, Value firstKey, Value number,
                             int64_t shares) {
  int64_t groups = llvm::divideCeil(heads, op.getValueGroup());
  int64_t bytesOfKey = groups * rowsOfHead() * sizeof(int16_t);
  Value areFar =
      at.compare(arith::CmpIPredicate::sgt, at.mul(range.keys, bytesOfKey),
                 sizes.mostUnaskedPanels);
  auto onlyIf = scf::IfOp::create(b, areFar, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(onlyIf.thenBlock());
  constexpr int64_t numbersOfLine = 32;
  Value panel = panelOf(at.div(head, op.getValueGroup()), firstKey);
  int64_t linesOfRow = sizes.block / numbersOfLine;
  int64_t share = llvm::divideCeil(rowsOfHead() * linesOfRow, shares);
  for (int64_t each = 0; each < share; ++each) {
    Value line = at.add(at.mul(number, share), each);
    Value column = at.mul(at.rem(line, linesOfRow), numbersOfLine);
    memref::PrefetchOp::create(b, panel,
                               ValueRange{at.div(line, linesOfRow), column},
                               /*isWrite=*/false, /*localityHint=*/2,
                               /*isDataCache=*/true);
  }
}

void Outputs::emitUnless(Value condition, function_ref<void()> inside) {
  Value isNot = arith::XOrIOp::create(
      b, condition, arith::ConstantOp::create(b, b.getBoolAttr(true)));
  auto onlyIf = scf::IfOp::create(b, isNot, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(onlyIf.thenBlock());
  inside();
}

Value Outputs::emitAreFinite(const Rows &rows, Value firstKey, Value keys) {
  auto areFinite = [&] {
    return FiniteRows(b, sizes).emitAreFinite(rows.matrix, rows.first,
                                              rows.count);
  };
  if (mayHideKeys(op))
    return areFinite();
  // No value is hidden from a query where all queries weigh all keys.
  Value isInside = range.emitIsWeighed(b, firstKey, wholeSquares(keys));
  auto choice =
      scf::IfOp::create(b, b.getI1Type(), isInside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, isInside);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, areFinite());
  return choice.getResult(0);
}

Outputs::Rows Outputs::emitFinite(const Rows &rows, Value areFinite) {
  emitUnless(areFinite, [&] {
    FiniteRows(b, sizes).emitFinite(rows.matrix, rows.first, rows.count,
                                    valueTile);
  });
  if (rows.matrix == valueTile)
    return rows;
  auto choose = [&](Value whole, Value finite) -> Value {
    return arith::SelectOp::create(b, areFinite, whole, finite);
  };
  auto copy = cast<MemRefType>(valueTile.getType());
  auto type = MemRefType::get(
      {ShapedType::kDynamic, copy.getDimSize(1)}, copy.getElementType(),
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic,
                             {ShapedType::kDynamic, 1}));
  auto cast = [&](Value matrix) -> Value {
    return memref::CastOp::create(b, type, matrix);
  };
  return {choose(cast(rows.matrix), cast(valueTile)),
          choose(rows.first, at.value(0)), rows.count};
}

void Outputs::emitPooledOthers(const Rows &values, Value weights, Value head) {
  auto weightAt = [&](Value key, Value lane) -> Value {
    if (!holdsPairs(weights))
      return load(weights, key, lane);
    auto [even, odd] = loadPair(weights, at.div(key, 2), lane);
    Value isEven = at.compare(arith::CmpIPredicate::eq, at.rem(key, 2), 0);
    return arith::SelectOp::create(b, isEven, even, odd);
  };
  FiniteRows(b, sizes).forEachOther(
      values.matrix, values.first, values.count,
      [&](Value number, Value key, Value feature) {
        Value row = at.add(outputRow(head), feature);
        Value value = vector::BroadcastOp::create(b, rowType(), number);
        forEachLane([&](Value lane) {
          Value weight = weightAt(key, lane);
          Value isWeighed = arith::CmpFOp::create(b, arith::CmpFPredicate::UNE,
                                                  weight, splat(0));
          Value term = arith::SelectOp::create(b, isWeighed, mul(weight, value),
                                               splat(0));
          store(add(load(outputTile, row, lane), term), outputTile, row, lane);
        });
      });
}

void Outputs::emitInverses(Value head) {
  forEachLane([&](Value lane) {
    Value total =
        add(loadStatistic(head, Sum, lane), loadStatistic(head, Lost, lane));
    storeStatistic(Softmax::emitInverse(b, total), head, Inverse, lane);
    if (!op.getLse())
      return;
    Value log =
        Softmax::emitLogSum(b, loadStatistic(head, Reference, lane), total);
    Value isThere = vector::CreateMaskOp::create(
        b, VectorType::get({sizes.lanes}, b.getI1Type()),
        ValueRange{at.sub(queries, lane)});
    vector::MaskedStoreOp::create(
        b, targetOf(op.getLse()),
        ValueRange{operands.place.batch, head,
                   at.add(operands.place.firstQuery, lane)},
        isThere, log);
  });
}

void Outputs::emitOutput(Value head, Statistic factor) {
  Value target = KernelBuffers::matrixAt(b, targetOf(op.getResult()),
                                         {operands.place.batch, head});
  tile::UnpackOp::create(b, rowsOf(outputTile, outputRow(head), features),
                         statisticRow(head, factor), target,
                         operands.place.firstQuery, queries,
                         /*columns=*/Value());
  emitDroppedRows(b, op, operands, target, operands.place.batch,
                  operands.place.firstQuery, queries);
}

void Outputs::emitFinished(Value head) {
  forEachLane(
      [&](Value lane) { storeStatistic(splat(1), head, Inverse, lane); });
  emitOutput(head, Inverse);
}
