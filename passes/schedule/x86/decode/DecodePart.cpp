// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decode, part by part: lanes are keys.

#include "passes/schedule/x86/decode/DecodePart.h"

#include "dialect/tile/TileOps.h"
#include "passes/body/References.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

/// Heads whose keys and values one item reads: all where heads meet.
static int64_t headsOfItem(AttentionOpInterface op) {
  if (op.hasPremix() || op.hasPostmix())
    return op.getNumHeads();
  bool sharesBoth = op.getQuery() && op.getKeyGroup() == op.getValueGroup();
  return sharesBoth ? op.getValueGroup() : 1;
}

DecodePart::DecodePart(ImplicitLocOpBuilder &b, KernelOp kernel,
                       AttentionOpInterface op, const DecodeParts &parts,
                       const TileSizes &sizes, Scratch &scratch)
    : TileBuilder(b, sizes, scratch), op(op), operands(kernel, sizes.lanes),
      body(op, operands), heads(headsOfItem(op)), channels(body.numChannels()),
      products(body.numProducts()), scoredHeads(heads), bytesUsed(at.value(0)),
      parts(parts), queries(sizeOf(op.getQueriesDim())) {
  this->sizes.width = sizes.block;
  if (body.isCoupled())
    scoredHeads = channels;
  else if (walksHeadByHead())
    scoredHeads = 1;
  scoredRows = at.mul(queries, scoredHeads);
}

Value DecodePart::takeRows(Value rows, int64_t columns, Type element) {
  element = element ? element : b.getF32Type();
  Value begin = bytesUsed;
  int64_t bytesOfRow = columns * int64_t(element.getIntOrFloatBitWidth() / 8);
  bytesUsed = at.add(begin, at.mul(rows, bytesOfRow));
  if (isCounting())
    return {};
  auto type = MemRefType::get({ShapedType::kDynamic, columns}, element);
  return memref::ViewOp::create(b, type, scratch.memory, begin,
                                ValueRange{rows});
}

void DecodePart::takeScratch() {
  Value slots = at.mul(queries, heads);
  statisticTile = takeRows(at.mul(slots, NumStatistics), sizes.lanes);
  weightTile = takeRows(slots, sizes.block);
  if (parts.outputs)
    sumTile = takeRows(slots, valueColumns());
  if (op.getMixSource())
    coefficientTile = takeRows(slots, padded(heads));
  if (!op.getQuery())
    return;
  scoreTile = takeRows(at.mul(scoredRows, products), sizes.block);
  RankedTensorType type = op.getQueryType();
  // Differences have more bits than queries.
  Type element = op.getShifts() ? b.getF32Type() : type.getElementType();
  queryTile = takeRows(at.mul(scoredRows, op.getShifts() ? products : 1),
                       padded(type.getDimSize(3)), element);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void DecodePart::enter(Value number) {
  takeScratch();
  part = at.rem(number, parts.count);
  Value group = at.div(number, parts.count);
  Value batch = at.div(group, numGroups()), zero = at.value(0);
  firstHead = at.mul(at.rem(group, numGroups()), heads);
  operands.place = {batch, zero, zero, at.sub(queries, 1), zero};
  range = emitKeyRange(b, op, operands, zero, queries, batch);
  Value first = at.mul(part, parts.split);
  end = at.min(range.end, at.add(first, parts.split));
  Value unseen = at.max(at.sub(range.begin, first), 0);
  begin = at.add(first, at.mul(at.div(unseen, sizes.block), sizes.block));
}

void DecodePart::forEachBlock(function_ref<void(Value)> inside) {
  forEach(begin, end, sizes.block, [&](Value blockStart) {
    operands.place.blockStart = blockStart;
    inside(at.min(at.sub(end, blockStart), sizes.block));
  });
}

void DecodePart::forEachHead(function_ref<void(Value)> inside) {
  forEach(firstHead, at.add(firstHead, heads), 1, inside);
}

void DecodePart::forEachWalkedHead(function_ref<void(Value)> inside) {
  if (body.isCoupled())
    forEachHead(inside);
  else
    inside(walkedHead);
}

void DecodePart::forRowsAtOnce(Value first, Value count,
                               function_ref<void(Value, int64_t)> inside) {
  Value end = at.add(first, count);
  for (int64_t rows = sizes.queryRows; rows > 0; rows /= 2) {
    Value left = at.sub(end, first);
    Value next = at.add(first, at.mul(at.div(left, rows), rows));
    forEach(first, next, rows, [&](Value row) { inside(row, rows); });
    first = next;
  }
}

void DecodePart::emitClearedSums() {
  forEach(0, at.mul(queries, heads), 1, [&](Value slot) {
    forEach(0, valueColumns(), sizes.lanes,
            [&](Value column) { store(splat(0), sumTile, slot, column); });
  });
}

//===----------------------------------------------------------------------===//
// From keys to powers
//===----------------------------------------------------------------------===//

void DecodePart::emitWalk(Value number) {
  enter(number);
  forEachHead([&](Value head) {
    forEachQuery([&](Value query) {
      Value slot = slotOf(head, query), zero = at.value(0);
      store(splat(lowest), statisticTile, statistic(slot, Reference), zero);
      store(splat(0), statisticTile, statistic(slot, Sum), zero);
    });
  });
  auto emitBlockOf = [&](Value head) {
    walkedHead = head;
    emitBlock();
  };
  if (walksHeadByHead()) {
    forEachHead([&](Value head) {
      emitQueries(head);
      forEachBlock([&](Value) {
        emitScores(head);
        emitBlockOf(head);
      });
    });
  } else {
    Value first = body.isCoupled() ? at.value(0) : firstHead;
    emitQueries(first);
    if (!mixesWeights())
      emitClearedSums();
    forEachBlock([&](Value keys) {
      emitScores(first);
      body.isCoupled() ? emitBlock() : forEachHead(emitBlockOf);
      if (!mixesWeights())
        emitPooled(keys);
    });
    if (!mixesWeights())
      emitOutputs();
  }
  forEachHead([&](Value head) {
    forEachQuery([&](Value query) {
      Value slot = slotOf(head, query), zero = at.value(0);
      Value reference = load(statisticTile, statistic(slot, Reference), zero);
      Value sum = vector::ReductionOp::create(
          b, vector::CombiningKind::ADD,
          load(statisticTile, statistic(slot, Sum), zero),
          arith::FastMathFlags::reassoc);
      SmallVector<Value> place = {operands.place.batch, head, query, part};
      memref::StoreOp::create(b, vector::ExtractOp::create(b, reference, 0),
                              parts.references, place);
      memref::StoreOp::create(b, sum, parts.sums, place);
    });
  });
}

/// The powers of a block, of the heads walked for.
void DecodePart::emitBlock() {
  forEachQuery([&](Value query) {
    forEachLane([&](Value lane) {
      SmallVector<Value> start = emitStart(query, lane);
      forEachWalkedHead(
          [&](Value head) { emitPowers(start, head, query, lane); });
    });
  });
}

/// The rows of queries that products are taken of, from head `first` on: q, or
/// q - s_r for all components r.
void DecodePart::emitQueries(Value first) {
  if (!op.getQuery())
    return;
  forEach(0, scoredHeads, 1, [&](Value number) {
    Value head = at.add(first, number), row = at.mul(number, queries);
    Value matrix = KernelBuffers::matrixAt(b, operands.bufferOf(op.getQuery()),
                                           {operands.place.batch, head});
    if (op.getShifts())
      return emitDifferences(matrix, at.div(head, op.getKeyGroup()), row);
    forEachQuery([&](Value query) {
      tile::WidenOp::create(b, matrix, query, query, at.value(1),
                            rowsOf(queryTile, at.add(row, query), 1));
    });
  });
}

/// q - s_r for all components r, of the rows of `matrix` and the shifts of
/// `group`, in the rows of queries from `first` on.
void DecodePart::emitDifferences(Value matrix, Value group, Value first) {
  Value shifts =
      KernelBuffers::matrixAt(b, operands.bufferOf(op.getShifts()), {group});
  int64_t features = op.getQueryType().getDimSize(3);
  forEachQuery([&](Value query) {
    Value row = at.add(first, query);
    forEach(0, features, sizes.lanes, [&](Value column) {
      Value count = at.sub(features, column);
      Value own = loadSome(matrix, {query, column}, count);
      for (int64_t r = 0; r < products; ++r)
        store(sub(own, loadSome(shifts, {at.value(r), column}, count)),
              queryTile, rowOf(r, row), column);
    });
  });
}

/// The products of those rows with the block's keys: of Gaussians
/// -|q - k|^2 / 2, which no key has to be read twice for.
void DecodePart::emitScores(Value first) {
  if (!op.getQuery())
    return;
  Value start = operands.place.blockStart, last = at.sub(range.keys, 1);
  Value all = operands.bufferOf(op.getKey());
  auto factor = float(body.queryFactor());
  int64_t sharing = std::min(op.getKeyGroup(), scoredHeads);
  forEach(0, scoredHeads, sharing, [&](Value number) {
    SmallVector<Value> place = {
        operands.place.batch, at.div(at.add(first, number), op.getKeyGroup())};
    for (int64_t r = 0; r < products; ++r) {
      if (op.getKeyType().getRank() == 5) {
        place.truncate(2);
        place.push_back(at.value(r));
      }
      Value keys = KernelBuffers::matrixAt(b, all, place);
      forRowsAtOnce(
          at.mul(number, queries), at.mul(queries, sharing),
          [&](Value row, int64_t rows) {
            Value query = op.getShifts() ? rowOf(r, row) : row;
            Value scores = rowsOf(scoreTile, rowOf(r, row), rows);
            if (!op.getGaussian())
              tile::DotRowsOp::create(b, keys, start, last, queryTile, query,
                                      scores, llvm::APFloat(factor));
            else
              tile::SquareRowsOp::create(b, keys, start, last, queryTile, query,
                                         scores, llvm::APFloat(-0.5f * factor),
                                         /*subtracts=*/true);
          });
    }
  });
}

/// Emits `inside` for each key of the current row of lanes, with its elements
/// of `lanes`.
SmallVector<Value> DecodePart::emitForKeys(
    ValueRange lanes,
    function_ref<SmallVector<Value>(OpBuilder &, Value, ValueRange)> inside) {
  Value first = at.add(operands.place.blockStart, operands.place.lane);
  return operands.emitForEach(
      b, operands.emitPositions(b, first, at.sub(range.keys, 1)), lanes,
      inside);
}

/// The values that the exponents of the heads walked for start from.
SmallVector<Value> DecodePart::emitStart(Value query, Value lane) {
  operands.place.lane = lane;
  SmallVector<Value> scores;
  for (int64_t c = 0; op.getQuery() && c < channels; ++c) {
    Value number = at.value(c);
    if (!body.isCoupled() && scoredHeads > 1)
      number = at.sub(walkedHead, firstHead);
    Value row = at.add(at.mul(number, queries), query);
    for (int64_t r = 0; r < products; ++r)
      scores.push_back(load(scoreTile, rowOf(r, row), lane));
  }
  return emitForKeys(scores,
                     [&](OpBuilder &scalar, Value key, ValueRange scores) {
                       return body.emitStart(scalar, scores,
                                             {operands.place.batch, walkedHead,
                                              query, key, range.alignment});
                     });
}

/// The powers of `head` for the keys of the current row of lanes.
void DecodePart::emitPowers(ValueRange start, Value head, Value query,
                            Value lane) {
  SmallVector<Value> all =
      emitForKeys(start, [&](OpBuilder &scalar, Value key, ValueRange start) {
        ScorePlace place = {operands.place.batch, head, query, key,
                            range.alignment};
        SmallVector<Value> result = body.emitExponents(scalar, start, place);
        result.push_back(body.emitIsVisible(scalar, place));
        result.push_back(body.emitIsKept(scalar, place));
        return result;
      });
  Value kept = all.pop_back_val(), visible = all.pop_back_val();
  Value first = at.add(operands.place.blockStart, lane);
  Value seen = vector::CreateMaskOp::create(
      b, VectorType::get({sizes.lanes}, b.getI1Type()), at.sub(end, first));
  if (visible)
    seen = arith::AndIOp::create(b, seen, visible);
  Value never = splat(-std::numeric_limits<double>::infinity());
  for (Value &exponent : all)
    exponent = arith::SelectOp::create(b, seen, exponent, never);

  emitRaisedReference(all, head, query, lane);
  Value slot = slotOf(head, query), zero = at.value(0);
  Value reference = load(statisticTile, statistic(slot, Reference), zero);
  Value power = softmax().emitWeight(all, reference);
  Value sum = load(statisticTile, statistic(slot, Sum), zero);
  store(add(sum, power), statisticTile, statistic(slot, Sum), zero);
  if (kept)
    power = arith::SelectOp::create(b, kept, power, splat(0));
  if (mixesWeights())
    store(power, powersOf(head), query, first);
  else
    store(power, weightTile, slot, lane);
}

/// Raises the reference of `head` and `query` where one of `exponents` exceeds
/// it by more than the slack, and scales down what was summed up.
void DecodePart::emitRaisedReference(ArrayRef<Value> exponents, Value head,
                                     Value query, Value lane) {
  Value slot = slotOf(head, query), zero = at.value(0);
  Value reference = load(statisticTile, statistic(slot, Reference), zero);
  Value most = exponents.front();
  for (Value each : exponents.drop_front())
    most = larger(each, most);
  Value exceeds = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT,
                                        sub(most, reference), splat(slack));
  Value any =
      vector::ReductionOp::create(b, vector::CombiningKind::OR, exceeds);
  any = LLVM::ExpectOp::create(
      b, any, arith::ConstantOp::create(b, b.getBoolAttr(false)));
  auto choice = scf::IfOp::create(b, any, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  Value largest = vector::BroadcastOp::create(
      b, rowType(),
      vector::ReductionOp::create(b, vector::CombiningKind::MAXNUMF,
                                  larger(most, reference))
          .getResult());
  Value factor = softmax().emitRescale(reference, largest);
  store(largest, statisticTile, statistic(slot, Reference), zero);
  auto scale = [&](Value tile, Value row, Value from, Value to) {
    forEach(from, to, sizes.lanes, [&](Value column) {
      store(mul(load(tile, row, column), factor), tile, row, column);
    });
  };
  Value sum = statistic(slot, Sum);
  scale(statisticTile, sum, zero, at.value(sizes.lanes));
  if (mixesWeights()) {
    Value first = at.add(operands.place.blockStart, lane);
    return scale(powersOf(head), query, begin, first);
  }
  scale(weightTile, slot, zero, lane);
  scale(sumTile, slot, zero, at.value(valueColumns()));
}
