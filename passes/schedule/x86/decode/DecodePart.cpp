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
      products(body.numProducts()), bytesUsed(at.value(0)), parts(parts),
      queries(sizeOf(op.getQueriesDim())) {
  this->sizes.width = sizes.block;
}

Value DecodePart::takeRows(Value rows, int64_t columns) {
  Value begin = bytesUsed;
  bytesUsed = at.add(begin, at.mul(rows, columns * int64_t(sizeof(float))));
  if (isCounting())
    return {};
  auto type = MemRefType::get({ShapedType::kDynamic, columns}, b.getF32Type());
  return memref::ViewOp::create(b, type, scratch.memory, begin,
                                ValueRange{rows});
}

void DecodePart::takeScratch() {
  Value slots = at.mul(queries, heads);
  statisticTile = takeRows(at.mul(slots, NumStatistics), sizes.lanes);
  weightTile = takeRows(slots, sizes.block);
  if (op.getQuery())
    scoreTile = takeRows(at.mul(queries, numProducts()), sizes.block);
  if (op.getMixSource())
    coefficientTile = takeRows(slots, padded(heads));
  if (op.getShifts())
    differenceTile =
        takeRows(at.value(products), padded(op.getQueryType().getDimSize(3)));
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

void DecodePart::emitCleared(Value tile, Value row) {
  int64_t columns = cast<MemRefType>(tile.getType()).getDimSize(1);
  forEach(0, columns, sizes.lanes,
          [&](Value column) { store(splat(0), tile, row, column); });
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
      if (!mixesWeights())
        emitCleared(outputsOf(head, query), part);
    });
  });
  auto emitBlockOf = [&](Value head) {
    walkedHead = head;
    emitBlock();
  };
  if (mixesWeights() && !body.isCoupled())
    // No head waits for another one: each reads its keys from end to end.
    forEachHead(
        [&](Value head) { forEachBlock([&](Value) { emitBlockOf(head); }); });
  else
    forEachBlock([&](Value keys) {
      body.isCoupled() ? emitBlock() : forEachHead(emitBlockOf);
      if (!mixesWeights())
        emitPooled(keys);
    });
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

/// The products of a block, and the powers of the heads walked for.
void DecodePart::emitBlock() {
  if (op.getQuery()) {
    if (body.isCoupled())
      forEach(0, channels, 1, [&](Value channel) { emitScores(channel); });
    else
      emitScores(walkedHead);
  }
  forEachQuery([&](Value query) {
    forEachLane([&](Value lane) {
      SmallVector<Value> start = emitStart(query, lane);
      forEachWalkedHead(
          [&](Value head) { emitPowers(start, head, query, lane); });
    });
  });
}

/// The products of all queries with the block's keys, for one channel: of
/// Gaussians -|q - k|^2 / 2, which no key has to be read twice for.
void DecodePart::emitScores(Value channel) {
  Value batch = operands.place.batch;
  Value group = at.div(channel, op.getKeyGroup());
  Value first = body.isCoupled() ? at.mul(channel, products) : at.value(0);
  Value last = at.sub(range.keys, 1), start = operands.place.blockStart;
  Value matrix = KernelBuffers::matrixAt(b, operands.bufferOf(op.getQuery()),
                                         {batch, channel});
  forEachQuery([&](Value query) {
    if (op.getShifts())
      emitDifferences(matrix, query, group);
    for (int64_t r = 0; r < products; ++r) {
      SmallVector<Value> leading = {batch, group};
      if (op.getKeyType().getRank() == 5)
        leading.push_back(at.value(r));
      Value keys =
          KernelBuffers::matrixAt(b, operands.bufferOf(op.getKey()), leading);
      Value row = at.add(at.add(at.mul(query, numProducts()), first), r);
      Value scores = rowsOf(scoreTile, row, 1);
      double factor = body.queryFactor();
      if (!op.getGaussian())
        tile::DotRowsOp::create(b, keys, start, last, matrix, query, scores,
                                llvm::APFloat(float(factor)));
      else
        tile::SquareRowsOp::create(
            b, keys, start, last, op.getShifts() ? differenceTile : matrix,
            op.getShifts() ? at.value(r) : query, scores,
            llvm::APFloat(float(-0.5 * factor)), /*subtracts=*/true);
    }
  });
}

/// q - s_r for all components r, of a row of `queries` and the shifts of
/// `group`.
void DecodePart::emitDifferences(Value queries, Value query, Value group) {
  Value shifts =
      KernelBuffers::matrixAt(b, operands.bufferOf(op.getShifts()), {group});
  int64_t features = op.getQueryType().getDimSize(3);
  forEach(0, products, 1, [&](Value r) {
    forEach(0, features, sizes.lanes, [&](Value column) {
      Value count = at.sub(features, column);
      store(sub(loadSome(queries, {query, column}, count),
                loadSome(shifts, {r, column}, count)),
            differenceTile, r, column);
    });
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
  if (op.getQuery())
    for (int64_t i = 0; i < numProducts(); ++i)
      scores.push_back(
          load(scoreTile, at.add(at.mul(query, numProducts()), i), lane));
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
  Value outputs = outputsOf(head, query);
  scale(outputs, part, zero,
        at.value(cast<MemRefType>(outputs.getType()).getDimSize(1)));
}
