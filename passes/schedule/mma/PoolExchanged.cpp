// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second of two passes over the keys, where a block has all heads: weights
// are made again, exchanged in shared memory, mixed by products, and pool
// values.

#include "passes/body/NeverUnroll.h"
#include "passes/schedule/gpu/FragmentBody.h"
#include "passes/schedule/mma/ExchangedMixers.h"
#include "passes/schedule/mma/Halves.h"
#include "passes/schedule/mma/PowerOfTwo.h"
#include "passes/schedule/mma/Schedules.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

namespace {

/// Emits the code of a block of threads. A step takes a few keys:
///
///   each team scores them for its heads, and puts weights to shared memory;
///   each warp mixes the weights of a few queries, in their place;
///   each team pools values of its heads by the mixed weights.
///
/// Keys of the next step are copied during the last two, values of this one
/// during the first two.
class PoolExchangedBlock : public FragmentBody {
public:
  PoolExchangedBlock(ImplicitLocOpBuilder &b, KernelOp kernel,
                     PoolMixedOp stage, const ExchangeSizes &sizes)
      : FragmentBody(b, kernel, stage.getGeneric(), sizes.teamHeads,
                     tile::allExps),
        sizes(sizes), references(kernel.getOperandOf(stage.getReferences())),
        factors(kernel.getOperandOf(stage.getFactors())), mixers(sizes) {}

  void emit(tile::GridOp grid);

protected:
  Value emitWeightAt(int64_t g, Value row, Value key, Value) override;

private:
  void emitTiles();
  void emitStart(tile::GridOp grid);
  /// Begins to copy a team's keys, or values, from `firstKey` on, as a group.
  void emitKeys(Value firstKey);
  /// Begins to copy the team's scores where they are given, a head after the
  /// other.
  void emitGiven(Value firstKey);
  void emitValues(Value firstKey);
  /// Reads of each head of the team the logarithms of its rows' sums.
  void emitLogSumsOfRows();
  /// Puts the weights of head `g` of the team.
  void emitWeightsOf(int64_t g, Value firstKey);
  void emitMixed();
  Values emitPooled(ValueRange outputs);

  /// Makes head `g` of the team the one that is weighed.
  void setHead(int64_t g) { heads.assign({teamHeads[g]}); }
  Value rowsOf(Value tile, Value first, tile::SharedType type) {
    return tile::SharedRowsOp::create(b, type, tile, first);
  }
  /// Tile `number` of `rows` rows of those of the team's head `g`, of which
  /// each has `each`.
  Value tileOf(Value tiles, int64_t g, int64_t rows, int64_t each = 1,
               int64_t number = 0) {
    int64_t columns = cast<tile::SharedType>(tiles.getType()).getColumns();
    Value place = at.add(at.mul(teamHeads[g], each), number);
    return rowsOf(tiles, at.mul(place, rows), sizes.tile(rows, columns));
  }
  Value matrixOf(Value tensor, Value head, ArrayRef<Value> more = {}) {
    Values leading = {batch, head};
    llvm::append_range(leading, more);
    return KernelBuffers::matrixAt(b, buffers.bufferOf(tensor), leading);
  }
  Value ofRows(Value numbers, Value head) {
    return tile::LoadRowsOp::create(
        b, rows(), numbers, ValueRange{batch, head, firstQuery}, numQueries);
  }
  void copy(Value source, Value row, Value end, Value tile) {
    tile::MmaCopyOp::create(b, source, row, end, tile, sizes.teamThreads());
  }
  Value threadAlong(gpu::Dimension dimension) {
    return gpu::ThreadIdOp::create(b, dimension);
  }

  const ExchangeSizes &sizes;
  Value references, factors;
  Value team, warp;
  /// The heads of the team, and of each the logarithms, to base 2, of the sums
  /// of its rows: powers relative to them are weights.
  Values teamHeads, logSums;
  Value keyTiles, valueTiles, queryTiles, weights;
  ExchangedMixers mixers;
};

} // namespace

void PoolExchangedBlock::emitTiles() {
  auto place = [&](tile::SharedType type, int64_t offset) {
    return tile::SharedTileOp::create(b, type, offset);
  };
  if (sizes.hasProducts())
    keyTiles = place(sizes.keyTiles(), 0);
  valueTiles = place(sizes.valueTiles(), sizes.valueOffset());
  if (sizes.hasProducts())
    queryTiles = place(sizes.queryTiles(), sizes.queryOffset());
  weights = place(sizes.weights(), sizes.weightOffset());
  mixers.tile = place(sizes.mixers(), sizes.mixerOffset());
  if (sizes.scalesMixers())
    mixers.inverses = place(sizes.inverses(), sizes.inverseOffset());
}

void PoolExchangedBlock::emitStart(tile::GridOp grid) {
  emitTiles();
  emitItem(grid, sizes.queries());
  team = threadAlong(gpu::Dimension::y);
  constexpr int64_t lanes = 32;
  warp = at.div(threadAlong(gpu::Dimension::x), lanes);
  for (int64_t g = 0; g < sizes.teamHeads; ++g)
    teamHeads.push_back(at.add(at.mul(team, sizes.teamHeads), g));
  buffers.lay(b, sizes.windows(), sizes.windowOffset(), sizes.teamThreads(),
              team);
  for (int64_t g = 0; g < sizes.teamHeads && sizes.hasProducts(); ++g) {
    setHead(g);
    copy(matrixOf(op.getQuery(), queryHead(0)), firstQuery, numQueries,
         tileOf(queryTiles, g, sizes.queries()));
  }
  mixers.batch = batch;
  mixers.firstQuery = firstQuery;
  mixers.numQueries = numQueries;
  mixers.emit(b, buffers, team);
}

void PoolExchangedBlock::emitKeys(Value firstKey) {
  for (int64_t g = 0; g < sizes.teamHeads; ++g) {
    setHead(g);
    for (int64_t product = 0; product < sizes.products; ++product) {
      Values component;
      if (op.getKeyType().getRank() == 5)
        component.push_back(at.value(product));
      copy(matrixOf(op.getKey(), keyHead(0), component), firstKey, range.end,
           tileOf(keyTiles, g, sizes.keys, sizes.products, product));
    }
  }
  emitGiven(firstKey);
  tile::MmaCommitOp::create(b);
}

/// Written out, the copies of all heads take registers that there are not.
void PoolExchangedBlock::emitGiven(Value firstKey) {
  if (sizes.hasProducts())
    return;
  auto loop = scf::ForOp::create(b, at.value(0), at.value(sizes.teamHeads),
                                 at.value(1));
  neverUnroll(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value g = loop.getInductionVar(), head = at.add(teamHeads.front(), g);
  buffers.setPlace({batch, head, head, /*keyHead=*/Value(), firstQuery});
  buffers.fetchOfKeys(b, firstKey, g);
}

void PoolExchangedBlock::emitValues(Value firstKey) {
  for (int64_t g = 0; g < sizes.teamHeads; ++g)
    copy(matrixOf(op.getValue(), at.div(teamHeads[g], op.getValueGroup())),
         firstKey, range.end, tileOf(valueTiles, g, sizes.keys));
  tile::MmaCommitOp::create(b);
}

/// Of a row that sees no key the factor is 0, and so are weights. Those of f16
/// are times 2^15.
void PoolExchangedBlock::emitLogSumsOfRows() {
  for (Value head : teamHeads) {
    Value logarithm = math::Log2Op::create(b, ofRows(factors, head));
    if (sizes.scalesMixers())
      logarithm = arith::AddFOp::create(b, logarithm,
                                        constant(rows(), double(mostOfF16)));
    logSums.push_back(
        arith::SubFOp::create(b, ofRows(references, head), logarithm));
  }
}

void PoolExchangedBlock::emitWeightsOf(int64_t g, Value firstKey) {
  setHead(g);
  buffers.setPlace(
      {batch, teamHeads[g], teamHeads[g], /*keyHead=*/Value(), firstQuery});
  buffers.open(b, firstKey, at.value(g));
  Value zeros = constant(fragment(sizes.keys), 0);
  Values products(sizes.hasProducts() ? 0 : 1, zeros);
  for (int64_t product = 0; product < sizes.products; ++product)
    products.push_back(
        tile::MmaProductOp::create(
            b, zeros.getType(), tileOf(queryTiles, g, sizes.queries()),
            tileOf(keyTiles, g, sizes.keys, sizes.products, product),
            b.getUnitAttr(), zeros)
            .getResult(0));
  Exponents exponents =
      emitExponents(0, firstKey, sizes.keys, emitStarts(firstKey, products),
                    /*collapses=*/false);
  Value own = emitKept(firstKey, emitPowers(exponents, logSums[g]));
  // A weight in two parts: the upper half of its bits, and the rest.
  Values parts =
      emitMap(0, at.value(0), {own}, 2,
              [&](const ScorePlace &, Value, ValueRange elements) -> Values {
                Value part = emitUpperHalf(b, elements[0]);
                return {part, arith::SubFOp::create(b, elements[0], part)};
              });
  for (auto [i, part] : llvm::enumerate(parts))
    tile::PutOp::create(b, part,
                        rowsOf(weights,
                               at.add(teamHeads[g], int64_t(i) * sizes.heads),
                               sizes.weightsOfHead()));
}

/// A warp writes where it alone has read.
void PoolExchangedBlock::emitMixed() {
  int64_t each = sizes.teamWarps();
  Value zeros = constant(fragment(sizes.keys), 0);
  for (int64_t first = 0; first < sizes.queries(); first += sizes.allWarps) {
    Value ofTeam = at.add(at.mul(team, each), first);
    Value query = at.add(ofTeam, warp);
    Value begin = at.mul(query, sizes.rowsOfQuery());
    Value mixer = sizes.mixesByRow
                      ? rowsOf(mixers.tile, at.mul(ofTeam, sizes.mixed),
                               sizes.mixersOfWarps())
                      : mixers.tile;
    Value mixed = zeros;
    for (int64_t part = 0; part < sizes.parts(); ++part)
      mixed = tile::MmaProductOp::create(
                  b, zeros.getType(), mixer,
                  rowsOf(weights, at.add(begin, part * sizes.mixed),
                         sizes.weightsOfQuery()),
                  UnitAttr(), mixed)
                  .getResult(0);
    // Warp w writes the rows from 16 w on of what begins here.
    Value target = at.add(at.mul(ofTeam, sizes.rowsOfQuery()),
                          at.mul(warp, sizes.rowsOfQuery() - sizes.mixed));
    tile::PutOp::create(b, mixed,
                        rowsOf(weights, target, sizes.weightsOfWarps()));
  }
}

PoolExchangedBlock::Values PoolExchangedBlock::emitPooled(ValueRange outputs) {
  Values pooled;
  for (auto [g, each] : llvm::enumerate(outputs))
    pooled.push_back(tile::MmaProductOp::create(
                         b, each.getType(),
                         rowsOf(weights, teamHeads[g], sizes.weightsOfHead()),
                         tileOf(valueTiles, int64_t(g), sizes.keys), UnitAttr(),
                         each)
                         .getResult(0));
  return pooled;
}

/// The mixed weight of head `g` of the team.
Value PoolExchangedBlock::emitWeightAt(int64_t g, Value row, Value key, Value) {
  auto loop =
      scf::ForOp::create(b, at.value(0), at.value(sizes.heads), at.value(1),
                         ValueRange(constant(b.getF32Type(), 0)));
  neverUnroll(loop);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value head = loop.getInductionVar();
    heads.assign({head});
    auto ofRow = [&](Value numbers) -> Value {
      return memref::LoadOp::create(b, numbers, ValueRange{batch, head, row});
    };
    Value weight = FragmentBody::emitWeightAt(0, row, key, ofRow(references));
    Value coefficient = arith::MulFOp::create(
        b, ofRow(factors), mixers.emitAt(b, row, head, teamHeads[g]));
    scf::YieldOp::create(
        b, ValueRange(math::FmaOp::create(b, weight, coefficient,
                                          loop.getRegionIterArg(0))));
  }
  heads = teamHeads;
  return loop.getResult(0);
}

void PoolExchangedBlock::emit(tile::GridOp grid) {
  emitStart(grid);
  emitLogSumsOfRows();
  emitKeys(range.begin);
  Values inits(sizes.teamHeads, constant(fragment(sizes.valueFeatures), 0));
  auto loop = scf::ForOp::create(b, range.begin, range.end,
                                 at.value(sizes.keys), inits);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value firstKey = loop.getInductionVar();
    // Keys are there, and all have pooled the values before.
    tile::MmaWaitOp::create(b, 0);
    emitValues(firstKey);
    for (int64_t g = 0; g < sizes.teamHeads; ++g)
      emitWeightsOf(g, firstKey);
    // All have put their weights.
    tile::MmaWaitOp::create(b, 1);
    emitKeys(at.add(firstKey, sizes.keys));
    emitMixed();
    // Values are there, and all have mixed.
    tile::MmaWaitOp::create(b, 1);
    scf::YieldOp::create(b, emitPooled(loop.getRegionIterArgs()));
  }
  // The copies of what comes after the last step; and inverses, which others
  // have written, if there was no step.
  tile::MmaWaitOp::create(b, 0, /*own=*/!sizes.scalesMixers());
  buffers.close();
  heads = teamHeads;
  Values outputs(loop.getResults());
  if (sizes.scalesMixers())
    for (auto [g, each] : llvm::enumerate(outputs))
      each = emitScaled(each, mixers.emitInverseRows(b, teamHeads[g]));
  emitMixedResults(outputs, references, factors);
}

void mma::schedulePoolExchanged(KernelOp kernel, const ExchangeSizes &sizes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  auto stage = cast<PoolMixedOp>(kernel.getAnchor());
  auto grid = tile::GridOp::create(
      b,
      countItems(b, kernel, stage.getGeneric(), sizes.queries(), sizes.heads),
      sizes.teamThreads(), sizes.teams());
  b.setInsertionPointToStart(&grid.getBody().front());
  PoolExchangedBlock(b, kernel, stage, sizes).emit(grid);
  kernel.erase();
}
