// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk over blocks of keys: packing, products, blocks.

#include "passes/schedule/x86/attention/ScoreWalk.h"
#include "passes/body/References.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

/// How many heads of `element`'s operand a tile holds.
int64_t ScoreWalk::elementHeads(Value element) {
  auto type = cast<RankedTensorType>(element.getType());
  return body.isCoupled() && type.getRank() >= 3
             ? type.getDimSize(type.getRank() - 3)
             : 1;
}

void ScoreWalk::takeScratch() {
  takeStatistics();
  if (op.getQuery()) {
    queryTile = hasPairedScores() ? takePairs(channels * paddedFeatures())
                                  : takeTile(channels * queryRows());
    scoreTile = takeTile(channels * products * scoreRows());
  }
  if (hasCopiedKeys())
    keyTile = takeMatrix(sizes.rows, features(), b.getF32Type());
  else if (isAmx() && op.getQuery())
    keyTile = takeMatrix(sizes.rows, paddedFeatures(), b.getBF16Type());
  for (Value tensor : getPairOperands(op)) {
    int64_t held = elementHeads(tensor);
    operands.elements.push_back({tensor, held, takeTile(held * sizes.block)});
  }
}

void ScoreWalk::emitClearedStatistics() {
  forEachLane([&](Value lane) {
    forEachWalkedHead([&](Value head) {
      storeStatistic(splat(lowest), head, Reference, lane);
      for (Statistic which : {Partial, Sum, Lost})
        storeStatistic(splat(0), head, which, lane);
    });
  });
}

/// Clears the pairs of features that queries do not have.
void ScoreWalk::emitClearedFeatures() {
  auto type = VectorType::get({2 * sizes.lanes}, b.getBF16Type());
  Value none = arith::ConstantOp::create(b, b.getZeroAttr(type));
  forEach(0, channels, 1, [&](Value channel) {
    Value first = at.mul(channel, queryRows());
    forEach(features() / 2, queryRows(), 1, [&](Value pair) {
      forEachLane([&](Value lane) {
        vector::StoreOp::create(
            b, none, queryTile,
            ValueRange{at.add(first, pair), at.mul(lane, 2)});
      });
    });
  });
}

void ScoreWalk::emitPackedQueries() {
  Value buffer = operands.bufferOf(op.getQuery());
  if (features() + 1 < paddedFeatures())
    emitClearedFeatures();
  for (int64_t c = 0; c < channels; ++c) {
    Value channel = body.isCoupled() ? at.value(c) : walkedHead;
    Value matrix =
        KernelBuffers::matrixAt(b, buffer, {operands.place.batch, channel});
    tile::PackOp::create(
        b, matrix, operands.place.firstQuery, at.value(0), queries,
        at.value(features()),
        b.getF32FloatAttr(hasPairedScores() ? 1.0 : body.queryFactor()),
        rowsOf(queryTile, at.value(c * queryRows()), queryRows()));
  }
}

/// The matrix, and its row, from which `sizes.rows` rows are keys from `key`
/// on: `keys`, or a copy where some are not there, or not in whole squares. In
/// it the last key is there again, and features that are not are 0.
std::pair<Value, Value> ScoreWalk::emitWholeKeys(Value keys, Value key) {
  auto copy = [&] {
    tile::WidenOp::create(b, keys, key, at.sub(range.keys, 1),
                          at.value(sizes.rows), keyTile);
  };
  if (features() != paddedFeatures()) {
    copy();
    return {keyTile, at.value(0)};
  }
  Value areThere = at.compare(arith::CmpIPredicate::sle,
                              at.add(key, sizes.rows), range.keys);
  auto choice = scf::IfOp::create(b, areThere, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    copy();
  }
  auto type = MemRefType::get(
      {ShapedType::kDynamic, features()}, b.getBF16Type(),
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic,
                             {ShapedType::kDynamic, 1}));
  auto choose = [&](Value there, Value copied) -> Value {
    return arith::SelectOp::create(b, areThere, there, copied);
  };
  return {choose(memref::CastOp::create(b, type, keys),
                 memref::CastOp::create(b, type, keyTile)),
          choose(key, at.value(0))};
}

Value ScoreWalk::elementsAt(Value tensor, Value head) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t rank = type.getRank();
  SmallVector<Value> leading;
  for (int64_t i = 0; i < rank - 2; ++i) {
    Value index = rank - i == 4 ? operands.place.batch : head;
    leading.push_back(type.getDimSize(i) == 1 ? at.value(0) : index);
  }
  return KernelBuffers::matrixAt(b, operands.bufferOf(tensor), leading);
}

void ScoreWalk::emitPackedElements(Value keys) {
  for (const ElementTile &element : operands.elements) {
    auto pack = [&](Value head, Value firstRow) {
      tile::PackOp::create(b, elementsAt(element.tensor, head),
                           operands.place.firstQuery, operands.place.blockStart,
                           queries, keys, b.getF32FloatAttr(1.0),
                           rowsOf(element.tile, firstRow, sizes.block));
    };
    if (element.heads == 1)
      pack(body.isCoupled() ? at.value(0) : walkedHead, at.value(0));
    else
      forEach(0, element.heads, 1,
              [&](Value head) { pack(head, at.mul(head, sizes.block)); });
  }
}

/// Sums up the products of `sizes.rows` keys from `key` on, of all channels,
/// into the rows from `scoreRow` on of each, and runs `unit` meanwhile.
void ScoreWalk::emitScores(Value key, Value scoreRow, int64_t unitsPerProduct,
                           function_ref<void(Value)> unit) {
  Value buffer = operands.bufferOf(op.getKey());
  auto emitChannel = [&](Value c) {
    Value channel = body.isCoupled() ? c : walkedHead;
    Value group = at.div(channel, op.getKeyGroup());
    auto emitProduct = [&](Value r) {
      SmallVector<Value> leading = {operands.place.batch, group};
      if (op.getKeyType().getRank() == 5)
        leading.push_back(r);
      Value product = at.add(at.mul(c, products), r);
      Value row = at.add(at.mul(product, scoreRows()), scoreRow);
      Value keys = KernelBuffers::matrixAt(b, buffer, leading);
      Value first = key, last = at.sub(range.keys, 1), matrix = keys;
      if (hasCopiedKeys()) {
        tile::WidenOp::create(b, keys, key, last, at.value(sizes.rows),
                              keyTile);
        keys = keyTile;
        first = at.value(0);
        last = at.value(sizes.rows - 1);
      }
      tile::ProductClauses clauses;
      clauses.isAmx = isAmx();
      if (isAmx())
        std::tie(keys, first) = emitWholeKeys(keys, key);
      else
        clauses.last = last;
      if (scalesProducts())
        clauses.factor = float(body.queryFactor());
      clauses.units = unitsPerProduct;
      auto scores = tile::ProductOp::create(
          b, keys, first,
          rowsOf(queryTile, at.mul(c, queryRows()), queryRows()),
          rowsOf(scoreTile, row, sizes.rows), clauses);
      if (unitsPerProduct == 0)
        return;
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&scores.getBody().front());
      Value number = scores.getBody().getArgument(0);
      if (asksForKeys())
        emitAskedKeys(matrix, at.add(key, 2 * sizes.rows), number,
                      unitsPerProduct);
      unit(at.add(number, at.mul(product, unitsPerProduct)));
    };
    if (products == 1)
      emitProduct(at.value(0));
    else
      forEach(0, products, 1, emitProduct);
  };
  if (channels == 1)
    emitChannel(at.value(0));
  else
    forEach(0, channels, 1, emitChannel);
}

void ScoreWalk::emitWalk(Value head) {
  walkedHead = head;
  if (op.getQuery())
    emitPackedQueries();
  emitClearedStatistics();
  Value hasKeys = at.compare(arith::CmpIPredicate::slt, range.begin, range.end);
  auto onlyIf = scf::IfOp::create(b, hasKeys, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(onlyIf.thenBlock());
  if (op.getQuery() && weighsUnderScores())
    emitScores(range.begin, at.value(0), 0, nullptr);
  forEach(range.begin, range.end, sizes.block,
          [&](Value blockStart) { emitBlock(blockStart); });
  if (weighsUnderPool) {
    Value keys = at.sub(range.end, range.begin);
    Value blocks = at.div(at.add(keys, sizes.block - 1), sizes.block);
    schedule.emitPooledBefore(at.add(range.begin, at.mul(blocks, sizes.block)),
                              at.value(0), {});
  }
}

void ScoreWalk::emitBlock(Value blockStart) {
  operands.place.blockStart = blockStart;
  Value keys = at.min(at.sub(range.end, blockStart), sizes.block);
  emitPackedElements(keys);
  if (weighsUnderScores()) {
    emitWeightsUnderScores(keys);
  } else {
    forEachFew(keys, [&](Value from, Value few) {
      emitBlockScores(from, few);
      if (!weighsUnderPool)
        emitWeights(from, few);
    });
    if (weighsUnderPool)
      emitWeightsUnderPool(keys);
  }
  schedule.emitBlockEnd(keys);
}

/// Runs `inside` for `keysAtOnce` of the `keys` keys of a block after the
/// other: for the first of them, and how many there are.
void ScoreWalk::forEachFew(Value keys,
                           function_ref<void(Value, Value)> inside) {
  if (keysAtOnce() == sizes.block)
    return inside(at.value(0), keys);
  forEach(0, keys, keysAtOnce(), [&](Value from) {
    inside(from, at.min(at.sub(keys, from), keysAtOnce()));
  });
}

/// The scores of `keys` keys from `from` of the block on, one row of them a
/// key.
void ScoreWalk::emitBlockScores(Value from, Value keys) {
  if (!op.getQuery())
    return;
  auto emitRows = [&](Value row) {
    Value own = at.add(from, row);
    emitPrefetchedElements(own);
    emitScores(at.add(operands.place.blockStart, own), row, 0, nullptr);
  };
  if (keysAtOnce() == sizes.rows)
    emitRows(at.value(0));
  else
    forEach(0, keys, sizes.rows, emitRows);
}

void ScoreWalk::emitWeightsUnderPool(Value keys) {
  forEach(0, op.getNumHeads(), 1, [&](Value head) {
    schedule.emitPooledBefore(operands.place.blockStart, head, keys);
  });
}

/// The weights of `keys` keys from `from` of the block on, after their scores.
void ScoreWalk::emitWeights(Value from, Value keys) {
  Keys first = {at.add(operands.place.blockStart, from), from, at.value(0)};
  Value parts = at.mul(at.div(at.add(keys, sizes.rows - 1), sizes.rows),
                       sizes.rows / sizes.bodyRows);
  auto emitHeadWeights = [&](Value head) {
    forEach(0, sizes.vectors(), 1, [&](Value vector) {
      forEach(0, parts, 1, [&](Value part) {
        emitUnit(vector, part, first, head);
        emitAskedValues(vector, at.add(at.div(from, sizes.bodyRows), part),
                        head);
      });
    });
  };
  if (hasUnitsPerHead())
    forEach(0, op.getNumHeads(), 1, emitHeadWeights);
  else
    emitHeadWeights({});
}

void ScoreWalk::emitUnitOf(Value head, Value unit) {
  Value zero = at.value(0);
  emitUnit(at.rem(unit, sizes.vectors()), at.div(unit, sizes.vectors()),
           {operands.place.blockStart, zero, zero}, head);
}

void ScoreWalk::emitWeightsUnderScores(Value keys) {
  int64_t units = unitsPerScores(), parts = sizes.rows / sizes.bodyRows;
  int64_t sums = channels * products;
  int64_t perProduct = llvm::divideCeil(units, sums);
  forEach(0, keys, sizes.rows, [&](Value row) {
    Value key = at.add(operands.place.blockStart, row);
    Value step = at.div(at.sub(key, range.begin), sizes.rows);
    Value scoreRow = at.mul(at.rem(step, 2), sizes.rows);
    emitPrefetchedElements(row);
    auto emitOne = [&](Value unit) {
      auto emit = [&] {
        Value rest = at.div(unit, sizes.vectors());
        emitUnit(at.rem(unit, sizes.vectors()), at.rem(rest, parts),
                 {key, row, scoreRow},
                 hasUnitsPerHead() ? at.div(rest, parts) : Value());
      };
      if (!op.getQuery() || perProduct * sums == units)
        return emit();
      Value isThere = at.compare(arith::CmpIPredicate::slt, unit, units);
      auto onlyIf = scf::IfOp::create(b, isThere, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(onlyIf.thenBlock());
      emit();
    };
    if (op.getQuery())
      emitScores(at.add(key, sizes.rows), at.sub(sizes.rows, scoreRow),
                 perProduct, emitOne);
    else
      forEach(0, units, 1, emitOne);
  });
}

void ScoreWalk::emitSummedBlock() {
  forEachWalkedHead([&](Value head) {
    forEachLane([&](Value lane) {
      Value partial = loadStatistic(head, Partial, lane);
      Value sum = loadStatistic(head, Sum, lane);
      Value lost = loadStatistic(head, Lost, lane);
      // Knuth's sum of two numbers and its error.
      Value total = add(sum, partial);
      Value part = sub(total, sum);
      Value error = add(sub(sum, sub(total, part)), sub(partial, part));
      storeStatistic(total, head, Sum, lane);
      storeStatistic(add(lost, error), head, Lost, lane);
      storeStatistic(splat(0), head, Partial, lane);
    });
  });
}

void ScoreWalk::emitLoweredRows(Value factor, Value tile, Value from,
                                Value to) {
  Value lane = operands.place.lane;
  if (!holdsPairs(tile))
    return forEach(from, to, 1, [&](Value row) {
      store(mul(load(tile, row, lane), factor), tile, row, lane);
    });
  forEach(at.div(from, 2), at.div(to, 2), 1, [&](Value pair) {
    auto [first, second] = loadPair(tile, pair, lane);
    storePair(mul(first, factor), mul(second, factor), tile, pair, lane);
  });
}

SmallVector<Value> ScoreWalk::emitForLanes(
    ValueRange lanes,
    function_ref<SmallVector<Value>(OpBuilder &, Value, ValueRange)> inside) {
  return operands.emitForEach(b, operands.emitQueries(b), lanes, inside);
}
