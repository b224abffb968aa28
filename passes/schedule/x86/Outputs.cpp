// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools values into the tile of outputs, and writes results.

#include "passes/schedule/x86/Outputs.h"
#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

void OutputTile::takeOutputScratch() {
  outputTile = takeTile(heads * features);
  if (hasPairedValues())
    valueTile = takeMatrix(sizes.block / 2, 2 * features, b.getBF16Type());
  else if (hasCopiedValues())
    valueTile = takeMatrix(sizes.block, features, b.getF32Type());
}

void OutputTile::emitClearedOutputs() {
  forEach(0, heads * features, 1, [&](Value row) {
    for (int64_t chunk = 0; chunk < sizes.chunks(); ++chunk)
      store(splat(0), outputTile, row, at.value(chunk * sizes.lanes));
  });
}

void OutputTile::emitPooled(Value head, Value firstKey, Value keys,
                            Value weights, int64_t units,
                            function_ref<void(Value)> unit) {
  Value group = at.div(head, op.getValueGroup());
  Value values = KernelBuffers::matrixAt(b, operands.bufferOf(op.getValue()),
                                         {operands.place.batch, group});
  Value count = keys;
  if (hasPairedValues()) {
    tile::PairOp::create(b, values, firstKey, keys, valueTile);
    count = at.div(at.add(keys, 1), 2);
    if (mayHideKeys())
      emitSeenPairs(count, weights);
  } else if (mayHideKeys()) {
    emitSeenValues(values, firstKey, keys, weights);
  } else if (hasCopiedValues()) {
    tile::WidenOp::create(b, values, firstKey, at.sub(range.keys, 1), keys,
                          valueTile);
  }
  bool areCopied = hasCopiedValues();
  auto pool = tile::PoolOp::create(
      b, areCopied ? valueTile : values, areCopied ? at.value(0) : firstKey,
      count, weights, rowsOf(outputTile, outputRow(head), features), units);
  if (!units)
    return;
  OpBuilder::InsertionGuard guard(b);
  Block *block =
      b.createBlock(&pool.getBody(), {}, b.getIndexType(), b.getLoc());
  unit(block->getArgument(0));
}

Value OutputTile::emitAnyLane(function_ref<Value(Value)> weightsAt) {
  Value seen;
  for (int64_t lane = 0; lane < sizes.width; lane += sizes.lanes) {
    Value isSeen = arith::CmpFOp::create(b, arith::CmpFPredicate::UNE,
                                         weightsAt(at.value(lane)), splat(0));
    seen = seen ? arith::OrIOp::create(b, seen, isSeen).getResult() : isSeen;
  }
  return vector::ReductionOp::create(b, vector::CombiningKind::OR, seen);
}

void OutputTile::emitSeenValues(Value values, Value firstKey, Value keys,
                                Value weights) {
  Type element = op.getValueType().getElementType();
  auto mask = VectorType::get({sizes.lanes}, b.getI1Type());
  forEach(0, keys, 1, [&](Value key) {
    Value any =
        emitAnyLane([&](Value lane) { return load(weights, key, lane); });
    for (int64_t e = 0; e < features; e += sizes.lanes) {
      Value count = arith::SelectOp::create(
          b, any, at.value(std::min(sizes.lanes, features - e)), at.value(0));
      auto type = VectorType::get({sizes.lanes}, element);
      Value none = arith::ConstantOp::create(b, b.getZeroAttr(type));
      Value row = at.add(firstKey, key);
      Value part = vector::MaskedLoadOp::create(
          b, type, values, ValueRange{row, at.value(e)},
          vector::CreateMaskOp::create(b, mask, count), none);
      if (!element.isF32())
        part = arith::ExtFOp::create(b, rowType(), part);
      Value held = at.value(std::min(sizes.lanes, features - e));
      vector::MaskedStoreOp::create(b, valueTile, ValueRange{key, at.value(e)},
                                    vector::CreateMaskOp::create(b, mask, held),
                                    part);
    }
  });
}

void OutputTile::emitSeenPairs(Value pairs, Value weights) {
  auto row = VectorType::get({2 * sizes.lanes}, b.getBF16Type());
  auto bits = rowType().clone(b.getI32Type());
  Value none = arith::ConstantOp::create(b, b.getZeroAttr(row));
  auto number = [&](uint32_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(value)));
  };
  forEach(0, pairs, 1, [&](Value pair) {
    // A key's half of each pair of values is kept where it is seen.
    Value kept = number(0);
    for (bool isSecond : {false, true}) {
      Value isSeen = emitAnyLane([&](Value lane) {
        auto [first, second] = loadPair(weights, pair, lane);
        return isSecond ? second : first;
      });
      Value half = number(isSecond ? 0xffff0000 : 0xffff);
      kept = arith::OrIOp::create(
          b, kept, arith::SelectOp::create(b, isSeen, half, number(0)));
    }
    Value mask = vector::BroadcastOp::create(b, bits, kept);
    for (int64_t e = 0; e < features; e += sizes.lanes) {
      Value isThere = vector::CreateMaskOp::create(
          b, VectorType::get({2 * sizes.lanes}, b.getI1Type()),
          at.value(2 * std::min(sizes.lanes, features - e)));
      SmallVector<Value> place = {pair, at.value(2 * e)};
      Value values = vector::BitCastOp::create(
          b, bits,
          vector::MaskedLoadOp::create(b, row, valueTile, place, isThere, none)
              .getResult());
      Value left = vector::BitCastOp::create(
          b, row, arith::AndIOp::create(b, values, mask).getResult());
      vector::MaskedStoreOp::create(b, valueTile, place, isThere, left);
    }
  });
}

void OutputTile::emitInverses(Value head) {
  forEachLane([&](Value lane) {
    Value total =
        add(loadStatistic(head, Sum, lane), loadStatistic(head, Lost, lane));
    Value isEmpty =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, total, splat(0));
    Value inverse = arith::DivFOp::create(b, splat(1), total);
    inverse = arith::SelectOp::create(b, isEmpty, splat(0), inverse);
    storeStatistic(inverse, head, Inverse, lane);
    if (!op.getLse())
      return;
    // lse = (reference + log2 sum) / log2 e
    Value log = add(loadStatistic(head, Reference, lane),
                    math::Log2Op::create(b, total));
    Value isThere = vector::CreateMaskOp::create(
        b, VectorType::get({sizes.lanes}, b.getI1Type()),
        ValueRange{at.sub(queries, lane)});
    vector::MaskedStoreOp::create(
        b, targetOf(op.getLse()),
        ValueRange{operands.place.batch, head,
                   at.add(operands.place.firstQuery, lane)},
        isThere, mul(log, splat(llvm::numbers::ln2)));
  });
}

void OutputTile::emitOutput(Value head, Statistic factor) {
  Value target = KernelBuffers::matrixAt(b, targetOf(op.getResult()),
                                         {operands.place.batch, head});
  tile::UnpackOp::create(b, rowsOf(outputTile, outputRow(head), features),
                         rowsOf(statisticTile, statistic(head, factor), 1),
                         target, operands.place.firstQuery, queries);
}
