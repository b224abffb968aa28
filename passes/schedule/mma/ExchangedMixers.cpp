// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mixers of weights that heads of a block exchange.

#include "passes/schedule/mma/ExchangedMixers.h"

#include "passes/body/NeverUnroll.h"
#include "passes/body/ScoreBody.h"
#include "passes/schedule/gpu/Lanes.h"
#include "passes/schedule/mma/MixerTable.h"
#include "passes/schedule/mma/PowerOfTwo.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

void ExchangedMixers::emit(ImplicitLocOpBuilder &b, KernelBuffers &buffers,
                           Value team) {
  IndexMath at(b);
  int64_t columns = sizes.mixed, rows = sizes.mixers().getRows();
  Value thread =
      at.add(at.mul(team, sizes.teamThreads()),
             gpu::ThreadIdOp::create(b, gpu::Dimension::x).getResult());
  // Lanes that hand numbers to each other are seen to take every turn together.
  bool isTogether = sizes.scalesMixers();
  auto loop = scf::ForOp::create(b, isTogether ? at.value(0) : thread,
                                 at.value(rows * columns),
                                 at.value(sizes.teams() * sizes.teamThreads()));
  neverUnroll(loop);
  OpBuilder::InsertionGuard ofLoop(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  if (isTogether)
    number = at.add(number, thread);
  Value row = at.div(number, columns), column = at.rem(number, columns);
  Value from = at.rem(column, sizes.heads), to = at.rem(row, columns);
  Value query = at.add(firstQuery, at.div(row, columns));
  Value isThere = at.compare(arith::CmpIPredicate::slt, to, sizes.heads);
  Type f32 = b.getF32Type();
  auto choice =
      scf::IfOp::create(b, TypeRange(f32), isThere, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    Value last = at.sub(numQueries, 1);
    scf::YieldOp::create(b, emitMixer(b, sizes.op, buffers,
                                      {batch, from, at.min(query, last)}, from,
                                      to));
    b.setInsertionPointToStart(choice.elseBlock());
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
    scf::YieldOp::create(b, zero);
  }
  Value mixer = choice.getResult(0);
  if (sizes.scalesMixers())
    mixer = emitScaled(b, row, column, mixer);
  tile::SharedWriteOp::create(b, arith::TruncFOp::create(b, sizes.type, mixer),
                              tile, row, column);
}

/// `mixer`, the element in `row` and `column`, times its power of two. The
/// elements of a row are those of lanes that follow each other: their sizes add
/// up to at most 1 then.
Value ExchangedMixers::emitScaled(ImplicitLocOpBuilder &b, Value row,
                                  Value column, Value mixer) const {
  IndexMath at(b);
  Value bound = emitOfLanes<arith::AddFOp>(b, math::AbsFOp::create(b, mixer),
                                           sizes.mixed);
  Value power = emitPowerOfTwo(b, bound, 0);
  Value to = at.rem(row, sizes.mixed), query = at.div(row, sizes.mixed);
  Value isFirst = at.compare(arith::CmpIPredicate::eq, column, 0);
  auto both = [&](Value other) {
    isFirst = arith::AndIOp::create(b, isFirst, other);
  };
  both(at.compare(arith::CmpIPredicate::slt, to, sizes.heads));
  if (!sizes.mixesByRow)
    both(at.compare(arith::CmpIPredicate::eq, query, 0));
  auto choice = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    tile::SharedWriteOp::create(b, emitInverseOfPower(b, power), inverses,
                                sizes.mixesByRow ? to : at.value(0),
                                sizes.mixesByRow ? query : to);
  }
  return arith::MulFOp::create(b, mixer, power);
}

Value ExchangedMixers::emitAt(ImplicitLocOpBuilder &b, Value row, Value from,
                              Value to) const {
  IndexMath at(b);
  Value own = at.sub(row, firstQuery);
  Value place = sizes.mixesByRow ? at.add(at.mul(own, sizes.mixed), to) : to;
  Value mixer =
      toF32(b, b.getLoc(),
            tile::SharedReadOp::create(b, sizes.type, tile, place, from));
  if (!sizes.scalesMixers())
    return mixer;
  Value inverse = tile::SharedReadOp::create(
      b, b.getF32Type(), inverses, sizes.mixesByRow ? to : at.value(0),
      sizes.mixesByRow ? own : to);
  return arith::MulFOp::create(b, mixer, inverse);
}

Value ExchangedMixers::emitInverseRows(ImplicitLocOpBuilder &b,
                                       Value head) const {
  IndexMath at(b);
  auto rows = VectorType::get({2}, b.getF32Type());
  Value own;
  if (sizes.mixesByRow) {
    Value here = at.min(at.sub(numQueries, firstQuery), sizes.queries());
    own = tile::LoadRowsOp::create(b, rows, inverses,
                                   ValueRange{head, at.value(0)}, here);
  } else {
    Value one = tile::SharedReadOp::create(b, b.getF32Type(), inverses,
                                           at.value(0), head);
    own = vector::FromElementsOp::create(b, rows, ValueRange{one, one});
  }
  constexpr float ofWeights = 1.0F / (1 << mostOfF16);
  Value factor =
      arith::ConstantOp::create(b, DenseElementsAttr::get(rows, ofWeights));
  return arith::MulFOp::create(b, own, factor);
}
