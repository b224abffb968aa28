// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decode, part by part: mixed weights, pooled values.

#include "dialect/tile/TileOps.h"
#include "passes/schedule/x86/decode/DecodePart.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

/// Adds the values of the block's first `keys` keys, weighted, to the outputs.
/// A value that a query does not weigh adds nothing, whatever it holds.
void DecodePart::emitPooled(Value keys) {
  Value all = operands.bufferOf(op.getValue());
  int64_t sharing = std::min(op.getValueGroup(), heads);
  auto pool = [&](bool skipsZeros) {
    forEach(0, heads, sharing, [&](Value number) {
      Value group = at.div(at.add(firstHead, number), op.getValueGroup());
      Value values =
          KernelBuffers::matrixAt(b, all, {operands.place.batch, group});
      forRowsAtOnce(at.mul(number, queries), at.mul(queries, sharing),
                    [&](Value slot, int64_t rows) {
                      tile::SumRowsOp::create(
                          b, values, operands.place.blockStart, keys,
                          rowsOf(weightTile, slot, rows),
                          rowsOf(sumTile, slot, rows), skipsZeros);
                    });
    });
  };
  if (mayHideKeys(op))
    return pool(/*skipsZeros=*/true);
  if (!op.getCausal() && !op.getBand() && !op.getKeep())
    return pool(/*skipsZeros=*/false);
  Value areWeighed = range.emitIsWeighed(b, operands.place.blockStart, keys);
  auto choice = scf::IfOp::create(b, areWeighed, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  pool(/*skipsZeros=*/false);
  b.setInsertionPointToStart(choice.elseBlock());
  pool(/*skipsZeros=*/true);
}

/// Stores the sums of the part's values.
void DecodePart::emitOutputs() {
  forEachHead([&](Value head) {
    forEachQuery([&](Value query) {
      Value outputs = KernelBuffers::matrixAt(
          b, parts.outputs, {operands.place.batch, head, query});
      forEach(0, valueColumns(), sizes.lanes, [&](Value column) {
        store(load(sumTile, slotOf(head, query), column), outputs, part,
              column);
      });
    });
  });
}

/// coefficient[c, a] = bias[c, a] + sum_d source[c, d] weight[d, a], per query.
void DecodePart::emitCoefficients() {
  Value weight = operands.bufferOf(op.getMixWeight());
  Value bias = operands.bufferOf(op.getMixBias());
  int64_t depth =
      cast<RankedTensorType>(op.getMixSource().getType()).getDimSize(3);
  auto read = [&](Value buffer, ValueRange indices) -> Value {
    return toF32(b, b.getLoc(), memref::LoadOp::create(b, buffer, indices));
  };
  forEachHead([&](Value from) {
    Value source = KernelBuffers::matrixAt(
        b, operands.bufferOf(op.getMixSource()), {operands.place.batch, from});
    forEachQuery([&](Value query) {
      forEach(0, heads, 1, [&](Value to) {
        auto sum =
            scf::ForOp::create(b, at.value(0), at.value(depth), at.value(1),
                               ValueRange{read(bias, {from, to})});
        {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToStart(sum.getBody());
          Value d = sum.getInductionVar();
          Value term = mul(read(source, {query, d}), read(weight, {d, to}));
          scf::YieldOp::create(b, add(sum.getRegionIterArg(0), term));
        }
        memref::StoreOp::create(b, sum.getResult(0), coefficientTile,
                                ValueRange{slotOf(from, query), to});
      });
    });
  });
}

Value DecodePart::emitCoefficient(Value from, Value to, Value query) {
  Value number =
      op.getMixSource()
          ? memref::LoadOp::create(b, coefficientTile,
                                   ValueRange{slotOf(from, query), to})
                .getResult()
          : toF32(b, b.getLoc(),
                  memref::LoadOp::create(b, operands.bufferOf(op.getMixer()),
                                         ValueRange{from, to}));
  return vector::BroadcastOp::create(b, rowType(), number);
}

void DecodePart::emitMixed(Value number) {
  enter(number);
  if (op.getMixSource())
    emitCoefficients();
  emitClearedSums();
  forEachBlock([&](Value keys) {
    forEachQuery([&](Value query) {
      forEachLane([&](Value lane) { emitMixedWeights(query, lane); });
    });
    emitPooled(keys);
  });
  emitOutputs();
}

void DecodePart::emitMixedWeights(Value query, Value lane) {
  SmallVector<Value> weights;
  for (int64_t c = 0; c < heads; ++c) {
    Value head = at.value(c);
    Value factor = memref::LoadOp::create(
        b, parts.factors, ValueRange{operands.place.batch, head, query, part});
    Value power =
        load(powersOf(head), query, at.add(operands.place.blockStart, lane));
    weights.push_back(
        mul(power, vector::BroadcastOp::create(b, rowType(), factor)));
  }
  forEachHead([&](Value head) {
    Value mixed = body.emitPostmix(b, weights, [&](int64_t from) {
      return emitCoefficient(at.value(from), head, query);
    });
    store(mixed, weightTile, slotOf(head, query), lane);
  });
}
