// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mixers of weights in shared memory, a column for each query of a block.

#include "passes/schedule/mma/MixerTable.h"

#include "passes/body/NeverUnroll.h"
#include "passes/body/ScoreBody.h"
#include "passes/schedule/mma/PowerOfTwo.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

/// A thread has all shares of every so many queries and output heads.
void MixerTable::emitScaled(ImplicitLocOpBuilder &b, KernelBuffers &buffers,
                            Finish finish) {
  IndexMath at(b);
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value columns = isByRow ? numQueries : at.value(1);
  auto loop =
      scf::ForOp::create(b, thread, at.mul(columns, heads), at.value(threads));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value g = at.div(loop.getInductionVar(), columns);
  Value column = at.rem(loop.getInductionVar(), columns);
  Value to = at.add(firstHead, g), query = at.add(firstQuery, column);
  auto forEachMixed = [&](ValueRange inits, function_ref<void(scf::ForOp)> in) {
    auto ofHeads = scf::ForOp::create(
        b, at.value(0), at.value(op.getNumHeads()), at.value(1), inits);
    neverUnroll(ofHeads);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ofHeads.getBody());
    in(ofHeads);
    return ofHeads;
  };
  auto write = [&](Value number, Value from) {
    auto [row, place] = placeOf(at, rowOf(at, from, g), column);
    tile::SharedWriteOp::create(b, number, tile, row, place);
  };
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  Value bound =
      forEachMixed(zero, [&](scf::ForOp each) {
        Value from = each.getInductionVar();
        Value share =
            finish(from, query,
                   emitMixer(b, op, buffers, {batch, from, query}, from, to));
        write(share, from);
        Value size = math::AbsFOp::create(b, share);
        scf::YieldOp::create(b, ValueRange{arith::AddFOp::create(
                                    b, each.getRegionIterArg(0), size)});
      }).getResult(0);
  Value power = emitPowerOfTwo(b, bound, mostOfF16);
  write(emitInverseOfPower(b, power), inverses(at));
  forEachMixed({}, [&](scf::ForOp each) {
    Value from = each.getInductionVar();
    auto [row, place] = placeOf(at, rowOf(at, from, g), column);
    Value share =
        tile::SharedReadOp::create(b, b.getF32Type(), tile, row, place);
    write(arith::MulFOp::create(b, share, power), from);
  });
}

/// A thread has every so many elements: first those of one row, which are
/// queries that there are.
void MixerTable::emit(ImplicitLocOpBuilder &b, KernelBuffers &buffers,
                      Finish finish) {
  if (isScaled)
    return emitScaled(b, buffers, finish);
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
  if (!isByRow) {
    Value one = emitAt(b, head, g, /*row=*/{});
    return vector::FromElementsOp::create(
        b, VectorType::get({2}, b.getF32Type()), ValueRange{one, one});
  }
  return tile::LoadRowsOp::create(b, VectorType::get({2}, b.getF32Type()), tile,
                                  ValueRange{rowOf(at, head, g), at.value(0)},
                                  numQueries);
}

Value MixerTable::emitAt(ImplicitLocOpBuilder &b, Value head, int64_t g,
                         Value row) const {
  IndexMath at(b);
  Value column = isByRow ? at.sub(row, firstQuery) : Value();
  auto [own, place] = placeOf(at, rowOf(at, head, g), column);
  return tile::SharedReadOp::create(b, b.getF32Type(), tile, own, place);
}
