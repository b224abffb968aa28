// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mixers of weights in shared memory, a column for each query of a block.

#include "passes/schedule/mma/MixerTable.h"

#include "passes/body/NeverUnroll.h"
#include "passes/body/ScoreBody.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

Value mma::emitMixer(ImplicitLocOpBuilder &b, AttentionOpInterface op,
                     KernelBuffers &buffers, ArrayRef<Value> sourceRow,
                     Value from, Value to) {
  auto read = [&](Value tensor, ArrayRef<Value> place) {
    return toF32(b, b.getLoc(), buffers.emitRead(b, b.getLoc(), tensor, place));
  };
  if (!op.getMixSource())
    return read(op.getMixer(), {from, to});
  IndexMath at(b);
  int64_t terms =
      cast<RankedTensorType>(op.getMixSource().getType()).getDimSize(3);
  auto loop = scf::ForOp::create(b, at.value(0), at.value(terms), at.value(1),
                                 ValueRange{read(op.getMixBias(), {from, to})});
  neverUnroll(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value term = loop.getInductionVar();
  SmallVector<Value> place(sourceRow);
  place.push_back(term);
  scf::YieldOp::create(
      b, ValueRange{math::FmaOp::create(b, read(op.getMixSource(), place),
                                        read(op.getMixWeight(), {term, to}),
                                        loop.getRegionIterArg(0))});
  return loop.getResult(0);
}

/// A thread has every so many elements: first those of one row, which are
/// queries that there are.
void MixerTable::emit(ImplicitLocOpBuilder &b, KernelBuffers &buffers,
                      Finish finish) {
  IndexMath at(b);
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  auto loop = scf::ForOp::create(b, thread,
                                 at.mul(numQueries, op.getNumHeads() * heads),
                                 at.value(threads));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value row = at.div(loop.getInductionVar(), numQueries);
  Value column = at.rem(loop.getInductionVar(), numQueries);
  Value from = at.div(row, heads), to = at.add(firstHead, at.rem(row, heads));
  Value query = at.add(firstQuery, column);
  Value mixer = emitMixer(b, op, buffers, {batch, from, query}, from, to);
  tile::SharedWriteOp::create(b, finish(from, query, mixer), tile, row, column);
}

Value MixerTable::emitRows(ImplicitLocOpBuilder &b, Value head,
                           int64_t g) const {
  IndexMath at(b);
  return tile::LoadRowsOp::create(b, VectorType::get({2}, b.getF32Type()), tile,
                                  ValueRange{rowOf(at, head, g), at.value(0)},
                                  numQueries);
}

Value MixerTable::emitAt(ImplicitLocOpBuilder &b, Value head, int64_t g,
                         Value row) const {
  IndexMath at(b);
  return tile::SharedReadOp::create(b, b.getF32Type(), tile, rowOf(at, head, g),
                                    at.sub(row, firstQuery));
}
