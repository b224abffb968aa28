// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of fragments, once all keys are visited.

#include "passes/schedule/gpu/FragmentBody.h"

#include "passes/body/OperandExtents.h"

using namespace mlir;
using namespace mixattn;

Value FragmentBody::emitResult(int64_t g, Value outputs,
                               const Statistics &statistics) {
  outputs = emitScaled(outputs, Softmax::emitInverse(b, statistics.sum));
  // Zeros, also where the row's sum is not a number.
  if (op.getKeep())
    outputs =
        emitMap(0, at.value(0), outputs, 1,
                [&](const ScorePlace &place, Value, ValueRange elements) {
                  Value keepsNone = emitKeepsNone(b, op, range, place.i);
                  return Values{arith::SelectOp::create(
                      b, keepsNone, constant(b.getF32Type(), 0), elements[0])};
                })
            .front();
  emitStore(g, outputs);
  emitLogSums(g, statistics);
  return outputs;
}

void FragmentBody::emitLogSums(int64_t g, const Statistics &statistics) {
  Value lse = op.getLse();
  if (!lse)
    return;
  Value sums = Softmax::emitLogSum(b, statistics.reference, statistics.sum),
        output = kernel.getOutputs()[cast<OpResult>(lse).getResultNumber()];
  if (rowHeads == 1)
    tile::StoreRowsOp::create(
        b, sums, output, ValueRange{batch, heads[g], firstRow()}, numQueries);
  else
    tile::StoreRowsOp::create(
        b, sums, KernelBuffers::headsAt(b, output, batch, heads[g], rowHeads),
        firstRow(), endOfRows);
}

void FragmentBody::emitMixedResults(ValueRange outputs, Value references,
                                    Value factors) {
  for (auto [g, each] : llvm::enumerate(outputs)) {
    emitStore(g, each);
    if (!op.getLse())
      continue;
    auto ofRows = [&, head = heads[g]](Value numbers) -> Value {
      return tile::LoadRowsOp::create(
          b, rows(), numbers, ValueRange{batch, head, firstRow()}, numQueries);
    };
    emitLogSums(g,
                {ofRows(references), Softmax::emitInverse(b, ofRows(factors))});
  }
  Statistics none = {constant(rows(), 0), constant(rows(), 1)};
  emitSpoiledRows(outputs, SmallVector<Statistics>(outputs.size(), none));
}

void FragmentBody::emitResults(ValueRange outputs, ArrayRef<Statistics> parts) {
  buffers.close();
  SmallVector<Statistics> statistics(parts);
  for (Statistics &each : statistics)
    each.sum = tile::JoinSumOp::create(b, each.sum);
  Values written;
  for (auto [g, each] : llvm::enumerate(outputs))
    written.push_back(emitResult(g, each, statistics[g]));
  emitSpoiledRows(written, statistics);
}

void FragmentBody::emitSpoiledRows(ValueRange written,
                                   ArrayRef<Statistics> statistics) {
  bool mayHideValues =
      mayHideKeys(op) || op.getCausal() || op.getBand() || op.getKeep();
  if (!mayHideValues)
    return;
  Values sums = llvm::map_to_vector(written, [&](Value each) -> Value {
    return tile::JoinSumOp::create(b, tile::RowSumOp::create(b, each));
  });
  for (auto [g, sum] : llvm::enumerate(sums))
    emitRowsAgain(g, sum, statistics[g]);
}

void FragmentBody::emitStoreAt(int64_t g, Value query, Value column,
                               Value number) {
  Value outputs = kernel.getOutputs()[0];
  Type type = cast<MemRefType>(outputs.getType()).getElementType();
  if (!type.isF32())
    number = arith::TruncFOp::create(b, type, number);
  memref::StoreOp::create(b, number, outputs,
                          ValueRange{batch, heads[g], query, column});
}

void FragmentBody::emitStore(int64_t g, Value outputs) {
  tile::StoreOp::create(
      b, outputs,
      KernelBuffers::matrixAt(b, kernel.getOutputs()[0], {batch, heads[g]}),
      firstRow(), numQueries);
}
