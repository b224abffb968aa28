// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk over blocks of keys: packing, products, blocks.

#include "passes/schedule/x86/ScoreWalk.h"
#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

/// Where references start: above no score that is finite.
static constexpr double lowest = std::numeric_limits<float>::lowest();

bool ScoreWalk::pairsScores(AttentionOpInterface op, const TileSizes &sizes) {
  return sizes.hasPairs && op.getQuery() &&
         op.getQueryType().getElementType().isBF16() &&
         op.getKeyType().getElementType().isBF16() &&
         op.getQueryType().getDimSize(3) % 2 == 0;
}

ScoreWalk::ScoreWalk(ImplicitLocOpBuilder &b, KernelOp kernel,
                     const TileSizes &sizes, int64_t heads, Value scratch)
    : TileBuilder(b, sizes, scratch), kernel(kernel),
      op(cast<AttentionOpInterface>(kernel.getComputation())),
      operands(kernel, sizes.lanes), body(op, operands, pairsScores(op, sizes)),
      heads(heads), channels(body.numChannels()), products(body.numProducts()) {
  operands.block = sizes.block;
  // As many exponents at a time as `bodyRows` keys of one exponent each.
  this->sizes.bodyRows = std::max<int64_t>(
      hasPairedValues() ? 2 : 1,
      sizes.bodyRows / llvm::PowerOf2Ceil(body.numExponents()));
}

/// How many heads of `element`'s operand a tile holds.
int64_t ScoreWalk::elementHeads(Value element) {
  auto type = cast<RankedTensorType>(element.getType());
  return body.isCoupled() && type.getRank() >= 3
             ? type.getDimSize(type.getRank() - 3)
             : 1;
}

int64_t ScoreWalk::walkBytes() {
  int64_t rows = heads * NumStatistics;
  if (op.getQuery())
    rows += channels * (queryRows() + 2 * products * sizes.rows);
  for (Value element : KernelOperands::elementsOf(op))
    rows += elementHeads(element) * sizes.block;
  return bytesOf(rows);
}

void ScoreWalk::takeWalkScratch() {
  statisticTile = takeTile(heads * NumStatistics);
  if (op.getQuery()) {
    queryTile = hasPairedScores() ? takePairs(channels * features())
                                  : takeTile(channels * features());
    scoreTile = takeTile(2 * channels * products * sizes.rows);
  }
  for (Value tensor : KernelOperands::elementsOf(op)) {
    int64_t held = elementHeads(tensor);
    operands.elements.push_back({tensor, held, takeTile(held * sizes.block)});
  }
}

void ScoreWalk::enterTile(Value batch, Value firstQuery, Value count) {
  queries = count;
  Value zero = at.value(0);
  operands.place = {batch, zero, firstQuery,
                    at.add(firstQuery, at.sub(queries, 1)), zero};
  range = emitKeyRange(b, op, operands, firstQuery, queries, batch);
}

void ScoreWalk::forEachWalkedHead(function_ref<void(Value)> inside) {
  if (!body.isCoupled())
    return inside(walkedHead);
  forEach(0, op.getNumHeads(), 1, inside);
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

void ScoreWalk::emitPackedQueries() {
  Value buffer = operands.bufferOf(op.getQuery());
  for (int64_t c = 0; c < channels; ++c) {
    Value channel = body.isCoupled() ? at.value(c) : walkedHead;
    Value matrix =
        KernelBuffers::matrixAt(b, buffer, {operands.place.batch, channel});
    tile::PackOp::create(
        b, matrix, operands.place.firstQuery, at.value(0), queries,
        at.value(features()), b.getF32FloatAttr(body.queryFactor()),
        rowsOf(queryTile, at.value(c * queryRows()), queryRows()));
  }
}

void ScoreWalk::emitPackedElements(Value keys) {
  for (const ElementTile &element : operands.elements) {
    Value buffer = operands.bufferOf(element.tensor);
    auto type = cast<RankedTensorType>(element.tensor.getType());
    int64_t rank = type.getRank();
    auto pack = [&](Value head, Value firstRow) {
      SmallVector<Value> leading;
      for (int64_t i = 0; i < rank - 2; ++i) {
        Value index = rank - i == 4 ? operands.place.batch : head;
        leading.push_back(type.getDimSize(i) == 1 ? at.value(0) : index);
      }
      tile::PackOp::create(b, KernelBuffers::matrixAt(b, buffer, leading),
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
/// into half `slot` of the score tile, and runs `unit` meanwhile.
void ScoreWalk::emitScores(Value key, Value slot, int64_t unitsPerProduct,
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
      Value row = at.mul(at.add(at.mul(slot, channels * products), product),
                         sizes.rows);
      auto scores = tile::ScoresOp::create(
          b, KernelBuffers::matrixAt(b, buffer, leading), key,
          at.sub(range.keys, 1),
          rowsOf(queryTile, at.mul(c, queryRows()), queryRows()),
          rowsOf(scoreTile, row, sizes.rows), unitsPerProduct);
      OpBuilder::InsertionGuard guard(b);
      Block *block =
          b.createBlock(&scores.getBody(), {}, b.getIndexType(), b.getLoc());
      if (unitsPerProduct > 0)
        unit(at.add(block->getArgument(0), at.mul(product, unitsPerProduct)));
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
  if (op.getQuery())
    emitScores(range.begin, at.value(0), 0, nullptr);
  forEach(range.begin, range.end, sizes.block,
          [&](Value blockStart) { emitBlock(blockStart); });
}

void ScoreWalk::emitBlock(Value blockStart) {
  operands.place.blockStart = blockStart;
  Value keys = at.min(at.sub(range.end, blockStart), sizes.block);
  emitPackedElements(keys);
  int64_t units = numUnits();
  int64_t sums = channels * products;
  int64_t perProduct = llvm::divideCeil(units, sums);
  forEach(0, keys, sizes.rows, [&](Value row) {
    Value key = at.add(blockStart, row);
    Value step = at.div(at.sub(key, range.begin), sizes.rows);
    Value slot = at.rem(step, 2);
    auto emitOne = [&](Value unit) {
      Keys few = {key, row, slot};
      if (!op.getQuery() || perProduct * sums == units)
        return emitUnit(unit, few);
      Value isThere = at.compare(arith::CmpIPredicate::slt, unit, units);
      auto onlyIf = scf::IfOp::create(b, isThere, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(onlyIf.thenBlock());
      emitUnit(unit, few);
    };
    if (op.getQuery())
      emitScores(at.add(key, sizes.rows), at.sub(at.value(1), slot), perProduct,
                 emitOne);
    else
      forEach(0, units, 1, emitOne);
  });
  emitBlockEnd(keys);
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
  SmallVector<Value> all = {operands.emitQueries(b)};
  llvm::append_range(all, lanes);
  return emitWide(
      b, b.getLoc(), all,
      [&](OpBuilder &scalar, ValueRange one) {
        return inside(scalar, one.front(), one.drop_front());
      },
      [&](OpBuilder &, memref::LoadOp scalar, ArrayRef<Value> indices) {
        return operands.emitWideLoad(b, scalar, indices);
      });
}
