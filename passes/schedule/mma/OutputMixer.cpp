// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heads that read the same values mix what they pooled.

#include "passes/schedule/mma/OutputMixer.h"

#include "passes/body/NeverUnroll.h"
#include "passes/schedule/gpu/FragmentMap.h"
#include "passes/schedule/mma/MixerTable.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

std::string OutputMixer::whyNot(AttentionOpInterface op) {
  if (op.hasPremix())
    return "heads mix scores, and weights";
  int64_t heads = op.getNumHeads();
  if (op.getValueGroup() != heads)
    return "heads mix weights of values that they do not all share";
  if (!op.getGivenScores() && op.getKeyGroup() != heads)
    return "heads mix weights of keys that they do not all share";
  if (heads > groupQueries)
    return llvm::formatv(
        "{0} heads mix weights, but a block has up to {1} rows "
        "of a query",
        heads, groupQueries);
  return "";
}

void OutputMixer::emitStore(int64_t, Value outputs) {
  emitFragmentMap(b, at.value(0), at.value(0), outputs, 1,
                  [&](Value row, Value column, ValueRange elements) -> Values {
                    tile::SharedWriteOp::create(b, elements[0], outputTile, row,
                                                column);
                    return {elements[0]};
                  });
}

void OutputMixer::emitStoreAt(int64_t g, Value query, Value column,
                              Value number) {
  Value row = at.add(at.mul(query, rowHeads), heads[g]);
  tile::SharedWriteOp::create(b, number, outputTile, at.sub(row, firstRow()),
                              column);
}

/// Each thread writes numbers that are as far apart as there are threads.
void OutputMixer::emitMixers() {
  int64_t rows = sizes.groupRows();
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x),
        last = at.sub(numQueries, 1);
  auto loop = scf::ForOp::create(b, thread, at.value(rowHeads * rows),
                                 at.value(sizes.numThreads()));
  neverUnroll(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  Value from = at.div(number, rows), row = at.rem(number, rows);
  Value query = at.min(queryOfRow(at.add(firstRow(), row)), last);
  Value mixer = emitMixer(b, op, buffers, {batch, from, query}, from,
                          at.rem(row, rowHeads));
  tile::SharedWriteOp::create(b, mixer, mixerTile, from, row);
}

/// Heads are added up in their order. Rows that are left over in a group read
/// others, and are not written.
Value OutputMixer::emitMixed() {
  Value zeros = constant(fragment(group.valueFeatures), 0);
  auto loop = scf::ForOp::create(b, at.value(0), at.value(rowHeads),
                                 at.value(1), ValueRange(zeros));
  neverUnroll(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value from = loop.getInductionVar();
  Value shares = tile::LoadRowsOp::create(b, rows(), mixerTile,
                                          ValueRange{from, at.value(0)},
                                          at.value(sizes.groupRows()));
  bool hasMore = sizes.groupStride() < sizes.groupRows();
  Value sums =
      emitFragmentMap(
          b, at.value(0), at.value(0), {loop.getRegionIterArg(0), shares}, 1,
          [&](Value row, Value column, ValueRange elements) -> Values {
            Value own = at.add(at.mul(queryOfRow(row), rowHeads), from);
            if (hasMore)
              own = at.min(own, at.value(sizes.groupRows() - 1));
            Value output =
                tile::SharedReadOp::create(b, outputTile, own, column);
            return {math::FmaOp::create(b, elements[1], output, elements[0])};
          })
          .front();
  scf::YieldOp::create(b, ValueRange(sums));
  return loop.getResult(0);
}

/// Others may still read keys and values, or the outputs of the group before.
void OutputMixer::emitEnd(ValueRange outputs, ArrayRef<Statistics> parts) {
  outputTile = tile::SharedTileOp::create(b, sizes.outputTile(), 0);
  mixerTile =
      tile::SharedTileOp::create(b, sizes.mixerTile(), sizes.mixerOffset());
  gpu::BarrierOp::create(b);
  emitResults(outputs, parts);
  emitMixers();
  gpu::BarrierOp::create(b);
  tile::StoreOp::create(b, emitMixed(),
                        KernelBuffers::headsAt(b, kernel.getOutputs()[0], batch,
                                               heads.front(), rowHeads),
                        firstRow(), endOfRows);
}
