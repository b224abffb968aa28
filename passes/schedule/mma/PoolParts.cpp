// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of the keys of a few queries, whose powers are there: heads mix them,
// and they pool values.

#include "passes/body/NeverUnroll.h"
#include "passes/schedule/gpu/FragmentBody.h"
#include "passes/schedule/gpu/FragmentMap.h"
#include "passes/schedule/mma/MixerTable.h"
#include "passes/schedule/mma/PoolPartSizes.h"
#include "passes/schedule/mma/Schedules.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

namespace {

/// Emits the code of a block of threads.
class PoolPartBlock : public FragmentBody {
public:
  PoolPartBlock(ImplicitLocOpBuilder &b, KernelOp kernel, PoolPartsOp stage,
                const PoolPartSizes &sizes, const PartSizes &parts)
      : FragmentBody(b, kernel, stage.getGeneric(), sizes.heads, tile::allExps),
        sizes(sizes), parts(parts),
        powers(kernel.getOperandOf(stage.getPowers())),
        factors(kernel.getOperandOf(stage.getFactors())) {}

  void emit(tile::GridOp grid);

protected:
  void emitStoreAt(int64_t g, Value query, Value column,
                   Value number) override {
    memref::StoreOp::create(b, number, kernel.getOutputs()[0],
                            ValueRange{batch, heads[g], query, part, column});
  }
  Value emitWeightAt(int64_t g, Value row, Value key, Value) override;

private:
  /// A loop over the heads whose weights are mixed, which carries `inits`.
  Values forEachMixed(Values inits,
                      function_ref<Values(Value head, Values carried)> body);
  void emitTable();
  /// Begins to copy values and powers from `firstKey` on, as a group.
  void emitCopies(Value firstKey, Value stage);
  /// `power` of `key` for `query`, or 0 where nobody wrote one: beyond the
  /// part, and where causality or the band hide the key. Blocks that write
  /// powers are of other queries, and leave keys out that none of these sees.
  Value emitIfWritten(Value power, Value query, Value key);
  /// The block's mixed weights of the keys from `firstKey` on.
  Values emitMixed(Value firstKey, Value stage);
  void emitEnd(Values outputs);

  /// `rows` rows of `tile`, number `number` of such.
  Value rowsOf(Value tiles, tile::SharedType type, Value number) {
    return tile::SharedRowsOp::create(b, type, tiles,
                                      at.mul(number, type.getRows()));
  }
  Value valuesOf(Value stage, int64_t tile) {
    return rowsOf(valueTiles, sizes.valueTile(sizes.keys),
                  at.add(at.mul(stage, sizes.values), tile));
  }
  /// The number of the powers of `head`.
  Value powersOf(Value stage, Value head) {
    return at.add(at.mul(stage, sizes.mixed), head);
  }

  const PoolPartSizes &sizes;
  PartSizes parts;
  Value powers, factors, part;
  Value valueTiles, powerTiles;
  /// Factors of powers, of all heads for those of the block.
  MixerTable table;
};

} // namespace

PoolPartBlock::Values PoolPartBlock::forEachMixed(
    Values inits, function_ref<Values(Value head, Values carried)> body) {
  auto loop = scf::ForOp::create(b, at.value(0), at.value(sizes.mixed),
                                 at.value(1), inits);
  neverUnroll(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values next = body(loop.getInductionVar(), Values(loop.getRegionIterArgs()));
  // A loop that carries nothing has its end already.
  if (!inits.empty())
    scf::YieldOp::create(b, next);
  return Values(loop.getResults());
}

void PoolPartBlock::emitTable() {
  Value tile = tile::SharedTileOp::create(b, sizes.coefficients(),
                                          sizes.coefficientOffset());
  Value here = at.min(at.sub(numQueries, firstQuery), sizes.queries);
  table = {op,
           sizes.heads,
           heads.front(),
           PoolPartSizes::threads,
           batch,
           firstQuery,
           here,
           tile,
           /*isByRow=*/true,
           sizes.scalesMixers()};
  table.emit(b, buffers, [&](Value head, Value query, Value mixer) -> Value {
    Value factor = memref::LoadOp::create(b, factors,
                                          ValueRange{batch, head, query, part});
    return arith::MulFOp::create(b, factor, mixer);
  });
}

/// Powers beyond the end are the next part's.
void PoolPartBlock::emitCopies(Value firstKey, Value stage) {
  auto isThere = scf::IfOp::create(
      b, at.compare(arith::CmpIPredicate::slt, firstKey, range.end),
      /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(isThere.thenBlock());
    for (int64_t tile = 0; tile < sizes.values; ++tile) {
      Value head = at.div(heads[tile * (sizes.heads / sizes.values)],
                          op.getValueGroup());
      Value matrix = KernelBuffers::matrixAt(b, buffers.bufferOf(op.getValue()),
                                             {batch, head});
      tile::MmaCopyOp::create(b, matrix, firstKey, range.end,
                              valuesOf(stage, tile), PoolPartSizes::threads);
    }
    forEachMixed({}, [&](Value head, Values) -> Values {
      tile::FetchOp::create(b, powers,
                            ValueRange{batch, head, firstQuery, firstKey},
                            rowsOf(powerTiles, sizes.powerTile(sizes.queries),
                                   powersOf(stage, head)),
                            PoolPartSizes::threads);
      return {};
    });
  }
  tile::MmaCommitOp::create(b);
}

Value PoolPartBlock::emitIfWritten(Value power, Value query, Value key) {
  Value isWritten = at.compare(arith::CmpIPredicate::slt, key, range.end);
  ScorePlace place = {batch, heads.front(), query, key, range.alignment};
  if (Value isVisible = emitIsVisible(b, op, /*mask=*/{}, /*length=*/{}, place))
    isWritten = arith::AndIOp::create(b, isWritten, isVisible);
  return arith::SelectOp::create(b, isWritten, power,
                                 constant(b.getF32Type(), 0));
}

PoolPartBlock::Values PoolPartBlock::emitMixed(Value firstKey, Value stage) {
  Values none(size_t(sizes.heads), constant(fragment(sizes.keys), 0));
  return forEachMixed(none, [&](Value head, Values mixed) {
    Value own = rowsOf(powerTiles, sizes.powerTile(sizes.queries),
                       powersOf(stage, head));
    Values operands = mixed;
    for (int64_t g = 0; g < sizes.heads; ++g)
      operands.push_back(table.emitRows(b, head, g));
    return emitFragmentMap(
        b, firstQuery, firstKey, operands, mixed.size(),
        [&](Value row, Value key, ValueRange elements) {
          Value query = at.min(at.sub(row, firstQuery), sizes.queries - 1);
          Value power = tile::SharedReadOp::create(
              b, b.getF32Type(), own, query, at.sub(key, firstKey));
          power = emitIfWritten(power, row, key);
          Values next;
          for (size_t g = 0; g < mixed.size(); ++g)
            next.push_back(math::FmaOp::create(
                b, power, elements[mixed.size() + g], elements[g]));
          return next;
        });
  });
}

Value PoolPartBlock::emitWeightAt(int64_t g, Value row, Value key, Value) {
  Value there = at.min(key, at.sub(range.end, 1));
  Value sum =
      forEachMixed({constant(b.getF32Type(), 0)},
                   [&](Value head, Values sum) -> Values {
                     Value power = memref::LoadOp::create(
                         b, powers, ValueRange{batch, head, row, there});
                     power = emitIfWritten(power, row, there);
                     return {math::FmaOp::create(
                         b, power, table.emitAt(b, head, g, row), sum.front())};
                   })
          .front();
  if (sizes.scalesMixers())
    sum = arith::MulFOp::create(b, sum,
                                table.emitAt(b, table.inverses(at), g, row));
  return sum;
}

void PoolPartBlock::emitEnd(Values outputs) {
  if (sizes.scalesMixers())
    for (auto [g, each] : llvm::enumerate(outputs))
      each =
          emitScaled(each, table.emitRows(b, table.inverses(at), int64_t(g)));
  for (auto [g, each] : llvm::enumerate(outputs))
    tile::StoreOp::create(b, each,
                          KernelBuffers::headsAt(b, kernel.getOutputs()[0],
                                                 batch, heads[g], 1, part),
                          firstQuery, numQueries);
  Statistics none = {constant(rows(), 0), constant(rows(), 1)};
  emitSpoiledRows(outputs, SmallVector<Statistics>(outputs.size(), none));
}

void PoolPartBlock::emit(tile::GridOp grid) {
  valueTiles = tile::SharedTileOp::create(b, sizes.valueTiles(), 0);
  powerTiles =
      tile::SharedTileOp::create(b, sizes.powerTiles(), sizes.powerOffset());
  part = emitPartItem(grid, sizes.queries, parts);
  emitTable();
  Value zero = at.value(0);
  emitCopies(range.begin, zero);
  Values inits = {zero};
  inits.append(sizes.heads, constant(fragment(sizes.features), 0));
  auto loop = scf::ForOp::create(b, range.begin, range.end,
                                 at.value(sizes.keys), inits);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value firstKey = loop.getInductionVar(), stage = loop.getRegionIterArg(0);
    Value other = at.sub(at.value(1), stage);
    tile::MmaWaitOp::create(b, 0);
    emitCopies(at.add(firstKey, sizes.keys), other);
    Values next = {other}, weights = emitMixed(firstKey, stage);
    auto operand = VectorType::get({sizes.keys / 2}, sizes.type);
    for (int64_t g = 0; g < sizes.heads; ++g) {
      Value outputs = loop.getRegionIterArg(unsigned(1 + g));
      next.push_back(
          tile::MmaProductOp::create(
              b, outputs.getType(),
              tile::ToOperandOp::create(b, operand, weights[size_t(g)])
                  .getResult(),
              valuesOf(stage, sizes.valueOf(g)), UnitAttr(), outputs)
              .getResult(0));
    }
    scf::YieldOp::create(b, next);
  }
  // The copies of what comes after the last block; and inverses, which others
  // have written, if there was no block.
  tile::MmaWaitOp::create(b, 0, /*own=*/!sizes.scalesMixers());
  emitEnd(Values(loop.getResults().drop_front()));
}

void mma::schedulePoolParts(KernelOp kernel, int64_t sharedBytes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  auto stage = cast<PoolPartsOp>(kernel.getAnchor());
  AttentionOpInterface op = stage.getGeneric();
  PoolPartSizes sizes(op, sharedBytes);
  auto [grid, parts] =
      makePartBlocks(b, kernel, op, stage.getSplit(), stage.getBlock(),
                     sizes.queries, sizes.heads, PoolPartSizes::threads);
  PoolPartBlock(b, kernel, stage, sizes, parts).emit(grid);
  kernel.erase();
}
