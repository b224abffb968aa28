// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chunks of keys and values of linear attention, as tiles.

#include "passes/schedule/mma/LinearKeys.h"

#include "passes/body/NeverUnroll.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

static constexpr int64_t chunk = LinearSizes::chunk;

tile::GridOp LinearKeys::makeGrid(Value spans) {
  Value batches =
      b.createOrFold<memref::DimOp>(kernel.getOperandOf(op.getKey()), 0);
  int64_t heads = op.getNumKeyHeads();
  return tile::GridOp::create(b,
                              ValueRange{spans ? spans : at.value(1),
                                         at.value(heads * sizes.columnBlocks()),
                                         batches},
                              LinearSizes::threads);
}

void LinearKeys::takeTiles() {
  keys = {takeParts(sizes.panels, chunk, sizes.keyParts)};
  if (sizes.copiesValues(op.getValue())) {
    Type element = b.getBF16Type();
    values = {takeParts(1, sizes.columns, 1),
              takeParts(1, LinearSizes::ones, 1)};
    // Keys that are not there have no features: each has a 1.
    forEach(thread, at.value(chunk * LinearSizes::ones), LinearSizes::threads,
            [&](Value place) {
              Value column = at.rem(place, LinearSizes::ones);
              Value isOne = at.compare(arith::CmpIPredicate::eq, column, 0);
              Value own =
                  arith::SelectOp::create(b, isOne, number(1), number(0));
              tile::SharedWriteOp::create(
                  b, arith::TruncFOp::create(b, element, own), values.ones.high,
                  at.div(place, LinearSizes::ones), column);
            });
  } else {
    values = {takeParts(1, sizes.width())};
    if (sizes.copies(op.getValue()))
      valueRows = takeRows(op.getValue());
  }
  shared = takeSharedNumbers(features, op.getNumComponents());
  lost = takeNumbers(sizes.panels * chunk, sizes.width(), b.getF32Type());
  if (sizes.copies(op.getKey()))
    keyRows = takeRows(op.getKey(), sizes.storedComponents(op));
  if (Value shifts = op.getShifts()) {
    int64_t columns = op.getKeyType().getShape().back();
    shiftTile = takeNumbers(sizes.components, columns, b.getF32Type());
    forEach(thread, at.value(sizes.components * columns), LinearSizes::threads,
            [&](Value place) {
              Value component = at.div(place, columns),
                    column = at.rem(place, columns);
              tile::SharedWriteOp::create(
                  b, read(shifts, {head, component, column}), shiftTile,
                  component, column);
            });
  }
  if (Value prior = op.getPrior()) {
    bool isOfKeys = LinearSizes::hasPriorOfKeys(op);
    Type element =
        isOfKeys ? getElementTypeOrSelf(prior.getType()) : Type(b.getF32Type());
    priorTile = takeNumbers(sizes.components, chunk, element);
    if (!isOfKeys)
      forEach(thread, at.value(sizes.components), LinearSizes::threads,
              [&](Value component) {
                tile::SharedWriteOp::create(b, read(prior, {head, component}),
                                            priorTile, component, at.value(0));
              });
  }
  emitBarrier();
}

LinearKeys::State LinearKeys::emitNoState() {
  State none(sizes.panels, zeros(sizes.width()));
  for (int64_t panel = 0; panel < sizes.panels; ++panel)
    map(none[panel], 1,
        [&](Value row, Value column, ValueRange elements) -> Values {
          tile::SharedWriteOp::create(b, elements[0], lost,
                                      at.add(row, panel * chunk), column);
          return {elements[0]};
        });
  return none;
}

Value LinearKeys::readState(int64_t panel, Value states, Value totals,
                            ValueRange outer) {
  auto type = cast<MemRefType>(states.getType());
  int64_t rows = type.getDimSize(2) / op.getNumKeyHeads(),
          columns = type.getDimSize(3);
  auto read = [&](Value buffer, Value row, Value column) -> Value {
    Values place(outer);
    place.push_back(at.add(at.mul(head, rows), row));
    if (column)
      place.push_back(column);
    return memref::LoadOp::create(b, buffer, place);
  };
  return map(zeros(sizes.width()), 1,
             [&](Value row, Value column, ValueRange) -> Values {
               row = at.add(row, panel * chunk);
               Value own = at.add(firstColumn, column);
               Value isRow = isBelow(row, b.getIndexAttr(rows));
               Value isSum = both(isBelow(column, at.value(sizes.columns)),
                                  isBelow(own, b.getIndexAttr(columns)));
               Value isTotal =
                   at.compare(arith::CmpIPredicate::eq, column, sizes.columns);
               Type f32 = b.getF32Type();
               return {numberIf(isRow, f32, [&]() -> Value {
                 Value total = numberIf(
                     isTotal, f32, [&] { return read(totals, row, Value()); });
                 Value sum = numberIf(isSum, f32,
                                      [&] { return read(states, row, own); });
                 return arith::SelectOp::create(b, isTotal, total, sum);
               })};
             })
      .front();
}

Value LinearKeys::emitSumsAgain(int64_t panel, Value sums) {
  auto choice = scf::IfOp::create(b, sums.getType(), isSomeNaN(sums),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, sums);
  b.setInsertionPointToStart(choice.thenBlock());
  auto loop = scf::ForOp::create(b, at.value(0), at.value(chunk), at.value(1),
                                 zeros(sizes.width()));
  neverUnroll(loop);
  scf::YieldOp::create(b, loop.getResults());
  b.setInsertionPointToStart(loop.getBody());
  Value key = loop.getInductionVar();
  Values again =
      map(loop.getRegionIterArg(0), 1,
          [&](Value feature, Value column, ValueRange elements) -> Values {
            Value term = arith::MulFOp::create(
                b, featureAt(keys, key, at.add(feature, panel * chunk)),
                numberAt(values, key, column));
            return {arith::AddFOp::create(b, elements[0], term)};
          });
  scf::YieldOp::create(b, again);
  return choice.getResult(0);
}

/// A chunk is summed up first (Kahan 1965). An element and what it lost are the
/// same thread's.
LinearKeys::State LinearKeys::emitUpdate(const State &state) {
  State next;
  for (int64_t panel = 0; panel < sizes.panels; ++panel) {
    Value sums = emitProduct(panelOf(keys, panel), /*isTurned=*/true, values,
                             /*isTransposed=*/false, zeros(sizes.width()));
    sums = emitSumsAgain(panel, sums);
    next.push_back(
        map({state[panel], sums}, 1,
            [&](Value row, Value column, ValueRange elements) -> Values {
              row = at.add(row, panel * chunk);
              Value before = tile::SharedReadOp::create(b, b.getF32Type(), lost,
                                                        row, column);
              Value term = arith::SubFOp::create(b, elements[1], before);
              Value sum = arith::AddFOp::create(b, elements[0], term);
              Value gained = arith::SubFOp::create(b, sum, elements[0]);
              Value after = arith::SubFOp::create(b, gained, term);
              // An infinity has lost nothing.
              Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO,
                                                  after, after);
              after = arith::SelectOp::create(b, isNaN, number(0), after);
              tile::SharedWriteOp::create(b, after, lost, row, column);
              return {sum};
            })
            .front());
  }
  return next;
}

LinearKeys::State LinearKeys::emitLoop(
    Value end, const State &state,
    function_ref<State(Value start, const State &state)> body) {
  auto loop = scf::ForOp::create(b, at.value(0), end, at.value(chunk), state);
  neverUnroll(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(
      b, body(loop.getInductionVar(), State(loop.getRegionIterArgs())));
  return State(loop.getResults());
}

Value LinearKeys::emitCount() {
  OperandDim of = op.getKeysDim();
  Value all = sizeOf(of.value, of.dim);
  Value lengths = op.getLengths();
  if (!lengths)
    return all;
  // Compared before it loses bits: an index of a kernel has 32.
  Type i64 = b.getI64Type();
  Value length = buffers.emitRead(b, b.getLoc(), lengths, ValueRange{batch});
  if (length.getType() != i64)
    length = arith::ExtSIOp::create(b, i64, length);
  Value zero = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
  length = arith::MinSIOp::create(b, length,
                                  arith::IndexCastOp::create(b, i64, all));
  length = arith::MaxSIOp::create(b, length, zero);
  return arith::IndexCastOp::create(b, b.getIndexType(), length);
}

Value LinearKeys::readKey(Value first, Value row, Value component,
                          Value column) {
  bool hasComponents = op.getKeyType().getRank() == 5;
  Value x;
  if (keyRows) {
    if (hasComponents)
      row = at.add(at.mul(component, chunk), row);
    x = readTile(keyRows, row, column);
  } else {
    Values place = {batch, head};
    if (hasComponents)
      place.push_back(component);
    place.append({at.add(first, row), column});
    x = read(op.getKey(), place);
  }
  if (shiftTile)
    x = arith::AddFOp::create(b, x, readTile(shiftTile, component, column));
  return x;
}

/// sum_r prior_r phi(k_r)[feature + i] of the key in `row` of the chunk, for
/// `count` numbers i.
LinearKeys::Values LinearKeys::emitFeaturesAt(Value first, Value row,
                                              Value feature, int64_t count) {
  auto ofComponent = [&](Value component) {
    Value common, weight;
    if (shared)
      common = tile::SharedReadOp::create(
          b, cast<tile::SharedType>(shared.getType()).getElementType(), shared,
          component, row);
    if (priorTile)
      weight = readTile(priorTile, component,
                        LinearSizes::hasPriorOfKeys(op) ? row : at.value(0));
    Values all;
    for (int64_t i = 0; i < count; ++i) {
      Value own = features.emit(
          [&](Value column) { return readKey(first, row, component, column); },
          at.add(feature, i), common);
      all.push_back(weight ? arith::MulFOp::create(b, own, weight).getResult()
                           : own);
    }
    return all;
  };
  int64_t components = op.getNumComponents();
  if (components == 1)
    return ofComponent(at.value(0));
  auto loop = scf::ForOp::create(b, at.value(0), at.value(components),
                                 at.value(1), Values(size_t(count), number(0)));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values next;
  for (auto [sum, own] : llvm::zip_equal(loop.getRegionIterArgs(),
                                         ofComponent(loop.getInductionVar())))
    next.push_back(arith::AddFOp::create(b, sum, own));
  scf::YieldOp::create(b, next);
  return Values(loop.getResults());
}

void LinearKeys::beginKeys(Value first, Value end) {
  if (keyRows)
    for (int64_t i = 0; i < sizes.storedComponents(op); ++i) {
      Values place = {batch, head};
      if (op.getKeyType().getRank() == 5)
        place.push_back(at.value(i));
      beginCopy(matrixOf(op.getKey(), place), first, end, keyRows, i * chunk);
    }
  if (valueRows)
    beginCopy(
        matrixOf(op.getValue(), {batch, at.div(head, op.getValueGroup())}),
        first, end, valueRows);
  if (LinearSizes::hasPriorOfKeys(op))
    tile::FetchOp::create(b, buffers.bufferOf(op.getPrior()),
                          ValueRange{head, at.value(0), first}, priorTile,
                          LinearSizes::threads);
  tile::MmaCommitOp::create(b);
}

void LinearKeys::emitShared(Value first, Value count) {
  Type element = cast<tile::SharedType>(shared.getType()).getElementType();
  forEach(thread, at.value(op.getNumComponents() * chunk), LinearSizes::threads,
          [&](Value place) {
            Value component = at.div(place, chunk), row = at.rem(place, chunk);
            Value common = numberIf(isBelow(row, count), element, [&] {
              return features.emitShared([&](Value column) {
                return readKey(first, row, component, column);
              });
            });
            tile::SharedWriteOp::create(b, common, shared, component, row);
          });
  emitBarrier();
}

void LinearKeys::emitValues(Value first, Value count) {
  Value valueHead = at.div(head, op.getValueGroup());
  Value one = at.value(sizes.columns), limit = at.value(sizes.valueFeatures);
  emitNumbers(
      values,
      [&](Value row, Value column) -> Values {
        return {numberIf(isBelow(row, count), b.getF32Type(), [&]() -> Value {
          Value own = at.add(firstColumn, column);
          Value isValue = both(isBelow(column, one), isBelow(own, limit));
          Value value = numberIf(isValue, b.getF32Type(), [&] {
            if (valueRows)
              return readTile(valueRows, row, own);
            return read(op.getValue(),
                        {batch, valueHead, at.add(first, row), own});
          });
          Value isOne = at.compare(arith::CmpIPredicate::eq, column, one);
          return arith::SelectOp::create(b, isOne, number(1), value);
        })};
      },
      /*columns=*/1);
}

void LinearKeys::emitKeys(Value first, Value end) {
  Value count = at.min(at.sub(end, first), chunk);
  bool areCopied = sizes.copiesValues(op.getValue());
  if (areCopied) {
    // They come while features are made.
    Value matrix =
        matrixOf(op.getValue(), {batch, at.div(head, op.getValueGroup())});
    if (sizes.columnBlocks() > 1)
      matrix = columnsOf(matrix);
    beginCopy(matrix, first, end, values.high);
    tile::MmaCommitOp::create(b);
  }
  if (shared)
    emitShared(first, count);
  emitFeatures(keys, count, features.isPointwise(),
               [&](Value row, Value feature, int64_t count) {
                 return emitFeaturesAt(first, row, feature, count);
               });
  if (!areCopied)
    emitValues(first, count);
}

LinearKeys::State LinearKeys::emitStates(Value first, Value end,
                                         const State &state) {
  beginKeys(first, end);
  State all =
      emitLoop(at.sub(end, first), state, [&](Value start, const State &state) {
        Value key = at.add(first, start);
        emitWaitForCopies();
        emitKeys(key, end);
        emitWaitForCopies();
        beginKeys(at.add(key, chunk), end);
        return emitUpdate(state);
      });
  // The copies of what comes after the last chunk.
  emitWaitForCopies();
  return all;
}
