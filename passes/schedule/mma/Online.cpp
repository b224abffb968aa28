// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the online schedule of mma: scores, weights, pooled values.

#include "passes/body/NeverUnroll.h"
#include "passes/body/ScoreBody.h"
#include "passes/schedule/gpu/OwnTerms.h"
#include "passes/schedule/mma/OutputMixer.h"
#include "passes/schedule/mma/Schedules.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

/// Loads the queries of one channel, or begins to copy those of all, which come
/// with the first keys.
void OnlineBlock::emitQueries() {
  if (!group.hasProducts())
    return;
  if (!sizes.sharesQueries()) {
    auto type = VectorType::get({group.features / 2}, sizes.type);
    for (Value first : firstRows)
      queries.push_back(
          tile::MmaLoadOp::create(b, type, queryMatrix(0), first, endOfRows));
    return;
  }
  queryTiles =
      tile::SharedTileOp::create(b, sizes.queryTiles(), sizes.queryOffset());
  for (int64_t channel = 0; channel < group.channels; ++channel)
    tile::MmaCopyOp::create(
        b, queryMatrix(channel), firstRow(), endOfRows,
        rowsOf(queryTiles, at.value(channel * sizes.rows()), sizes.rows()),
        sizes.numThreads());
}

/// The queries of `channel`; those of all heads that have rows of the block.
Value OnlineBlock::queryMatrix(int64_t channel) {
  if (rowHeads == 1)
    return matrixOf(op.getQuery(), queryHead(channel));
  return KernelBuffers::headsAt(b, buffers.bufferOf(op.getQuery()), batch,
                                heads.front(), rowHeads);
}

/// The queries of `channel` as left sides of products, a group of rows each.
OnlineBlock::Values OnlineBlock::queriesOf(int64_t channel) {
  if (!queries.empty())
    return queries;
  Values tiles;
  for (int64_t r = 0; r < sizes.rowGroups; ++r)
    tiles.push_back(rowsOf(
        queryTiles, at.value(channel * sizes.rows() + r * sizes.groupStride()),
        sizes.groupRows()));
  return tiles;
}

/// Begins to copy the keys and values from `firstKey` on, and what else is read
/// of these.
void OnlineBlock::emitCopies(Value firstKey, Value stage) {
  auto copy = [&](Value matrix, Value tile, Value end) {
    tile::MmaCopyOp::create(b, matrix, firstKey, end, tile, sizes.numThreads());
  };
  // Values of blocks whose weights no query keeps are zeros, and not read.
  Value endOfValues = range.end;
  if (op.getKeep())
    endOfValues =
        arith::SelectOp::create(b, range.emitIsPooled(b, firstKey, sizes.keys),
                                range.pooledEnd, at.value(0));
  for (int64_t tile = 0; tile < group.tiles(); ++tile) {
    Values component;
    if (op.getKeyType().getRank() == 5)
      component.push_back(at.value(tile % group.products));
    copy(matrixOf(op.getKey(), keyHead(tile / group.products), component),
         keysOf(stage, tile), range.end);
  }
  for (int64_t tile = 0; tile < group.values; ++tile)
    copy(matrixOf(op.getValue(),
                  at.div(heads[tile * (group.heads / group.values)],
                         op.getValueGroup())),
         valuesOf(stage, tile), endOfValues);
  buffers.fetchOfKeys(b, firstKey, stage);
  tile::MmaCommitOp::create(b);
}

/// The terms of the keys of `stage`, all components of which lie one after the
/// other, or which all components share: a row a thread. Rows of keys that are
/// not there are zeros.
void OnlineBlock::emitOwnTerms(Value stage) {
  if (!sizes.ownsTerm)
    return;
  RowTermOp term = findOwnTerm(op);
  Value target = buffers.ownTile(term);
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  int64_t components = int64_t(term.getFactors().size());
  auto loop = scf::ForOp::create(b, thread, at.value(components * sizes.keys),
                                 at.value(sizes.numThreads()));
  neverUnroll(loop);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value row = loop.getInductionVar(), component = at.div(row, sizes.keys),
          key = at.rem(row, sizes.keys);
    Value inTiles = at.add(at.mul(stage, group.tiles() * sizes.keys),
                           group.tiles() == 1 ? key : row);
    Value own =
        OwnTerm(b, buffers, term).emit(component, priors, [&](int64_t feature) {
          return toF32(b, b.getLoc(),
                       tile::SharedReadOp::create(b, keyTiles, inTiles,
                                                  at.value(feature)));
        });
    tile::SharedWriteOp::create(b, own, target, component, key);
  }
  gpu::BarrierOp::create(b);
}

Value OnlineBlock::emitStepOf(int64_t g, Value firstKey, const Scores &scores,
                              State &state) {
  Rescale rescale;
  Value weights =
      emitWeights(g, firstKey, sizes.keys, scores, state.statistics, rescale);
  if (!hasValues()) {
    emitHandOver(g, firstKey, emitKept(firstKey, weights), rescale);
    return {};
  }
  state.outputs = emitRescaled(state.outputs, rescale);
  return op.getKeep() ? weights : asOperand(weights);
}

/// `outputs` with what the `weights` of head `g` pool of a block's values, a
/// group of rows each. Blocks whose weights no query keeps are passed over.
OnlineBlock::Values OnlineBlock::emitPooled(int64_t g, Value firstKey,
                                            Value stage, ValueRange weights,
                                            ValueRange outputs) {
  auto pool = [&](ValueRange operands) {
    auto pooled = tile::MmaProductOp::create(b, outputs.getTypes(), operands,
                                             valuesOf(stage, group.valueOf(g)),
                                             UnitAttr(), outputs);
    return Values(pooled.getResults());
  };
  if (!op.getKeep())
    return pool(weights);
  auto choice = scf::IfOp::create(b, outputs.getTypes(),
                                  range.emitIsPooled(b, firstKey, sizes.keys),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, outputs);
  b.setInsertionPointToStart(choice.thenBlock());
  Values kept;
  for (auto [r, each] : llvm::enumerate(weights)) {
    beginRows(int64_t(r));
    kept.push_back(asOperand(emitKept(firstKey, each)));
  }
  scf::YieldOp::create(b, pool(kept));
  return Values(choice.getResults());
}

/// What is read of a tile of keys or values serves all groups of rows.
SmallVector<OnlineBlock::State>
OnlineBlock::emitStep(Value firstKey, Value stage, SmallVector<State> states) {
  int64_t numGroups = sizes.rowGroups;
  Values zeros(numGroups, constant(fragment(sizes.keys), 0));
  SmallVector<Values> products(
      numGroups, group.hasProducts() ? Values() : Values{zeros.front()});
  for (int64_t tile = 0; tile < group.tiles(); ++tile) {
    auto product = tile::MmaProductOp::create(
        b, ValueRange(zeros).getTypes(), queriesOf(tile / group.products),
        keysOf(stage, tile), b.getUnitAttr(), zeros);
    for (int64_t r = 0; r < numGroups; ++r)
      products[r].push_back(product.getResult(r));
  }
  SmallVector<Scores> scores;
  for (int64_t r = 0; r < numGroups; ++r) {
    beginRows(r);
    scores.push_back(emitScores(firstKey, products[r]));
  }
  for (int64_t g = 0; g < group.heads; ++g) {
    auto own = MutableArrayRef(states).slice(g * numGroups, numGroups);
    Values weights, outputs;
    for (int64_t r = 0; r < numGroups; ++r) {
      beginRows(r);
      weights.push_back(emitStepOf(g, firstKey, scores[r], own[r]));
      outputs.push_back(own[r].outputs);
    }
    if (!hasValues())
      continue;
    Values pooled = emitPooled(g, firstKey, stage, weights, outputs);
    for (int64_t r = 0; r < numGroups; ++r)
      own[r].outputs = pooled[r];
  }
  return states;
}

OnlineBlock::Values OnlineBlock::numbersOf(const State &state) const {
  Values numbers;
  if (hasValues())
    numbers.push_back(state.outputs);
  numbers.append({state.statistics.reference, state.statistics.sum});
  return numbers;
}

OnlineBlock::State OnlineBlock::stateOf(ValueRange carried, int64_t i) const {
  int64_t outputs = hasValues() ? 1 : 0, each = outputs + 2;
  ValueRange own = carried.slice(each * i + 1, each);
  return {hasValues() ? own[0] : Value(), {own[outputs], own[outputs + 1]}};
}

/// Rows of a group that are left over would be those of the next one's queries.
void OnlineBlock::emitGroups() {
  int64_t stride = sizes.groupStride();
  bool hasMore = sizes.rowGroups > 1 && stride < sizes.groupRows();
  for (int64_t r = 0; r < sizes.rowGroups; ++r) {
    Value first = at.add(firstRow(), r * stride);
    firstRows.push_back(first);
    ends.push_back(hasMore ? at.min(endOfRows, at.add(first, stride))
                           : endOfRows);
  }
}

void OnlineBlock::emit(tile::GridOp grid) {
  if (group.hasProducts())
    keyTiles = tile::SharedTileOp::create(b, sizes.keyTiles(), 0);
  if (hasValues())
    valueTiles =
        tile::SharedTileOp::create(b, sizes.valueTiles(), sizes.valueOffset());
  emitItemOf(grid);
  emitGroups();
  for (Value first : firstRows) {
    firstOfGroup = first;
    rowsApart.push_back(emitAreApart());
  }
  firstOfGroup = firstRows.front();
  emitQueries();
  buffers.lay(b, sizes.windows(), sizes.windowOffset(), sizes.numThreads(),
              at.value(0));
  fetchOfItem(firstQuery);

  if (sizes.ownsTerm)
    priors = OwnTerm(b, buffers, findOwnTerm(op)).emitPriors(keyHead(0));
  Value zero = at.value(0);
  emitCopies(range.begin, zero);
  Values inits = {zero};
  State none = {{}, emitNoStatistics()};
  if (hasValues())
    none.outputs = constant(fragment(group.valueFeatures), 0);
  int64_t numStates = group.heads * sizes.rowGroups;
  for (int64_t i = 0; i < numStates; ++i)
    inits.append(numbersOf(none));
  auto loop = scf::ForOp::create(b, range.begin, range.end,
                                 at.value(sizes.keys), inits);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    ValueRange carried = loop.getRegionIterArgs();
    Value firstKey = loop.getInductionVar(), stage = carried[0];
    Value other = stage;
    tile::MmaWaitOp::create(b, 0);
    if (!sizes.seesAllAtOnce) {
      other = at.sub(at.value(1), stage);
      emitCopies(at.add(firstKey, sizes.keys), other);
    }
    buffers.open(b, firstKey, stage);
    emitOwnTerms(stage);
    SmallVector<State> states;
    for (int64_t i = 0; i < numStates; ++i)
      states.push_back(stateOf(carried, i));
    Values next = {other};
    for (const State &state : emitStep(firstKey, stage, states))
      next.append(numbersOf(state));
    scf::YieldOp::create(b, next);
  }
  // The copies of what comes after the last block.
  tile::MmaWaitOp::create(b, 0, /*own=*/true);
  for (int64_t r = 0; r < sizes.rowGroups; ++r) {
    beginRows(r);
    Values outputs;
    SmallVector<Statistics> statistics;
    for (int64_t g = 0; g < group.heads; ++g) {
      State state = stateOf(loop.getResults(), g * sizes.rowGroups + r);
      if (hasValues())
        outputs.push_back(state.outputs);
      statistics.push_back(state.statistics);
    }
    emitEnd(outputs, statistics);
  }
}

void mma::scheduleOnline(KernelOp kernel, int64_t sharedBytes, int64_t exps) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  auto op = cast<AttentionOpInterface>(kernel.getAnchor());
  BlockSizes sizes(op, sharedBytes);
  tile::GridOp grid =
      makeBlocks(b, kernel, op, sizes.queries(),
                 sizes.group.heads * sizes.rowHeads, sizes.numThreads());
  if (sizes.mixesOutputs)
    OutputMixer(b, kernel, sizes, exps).emit(grid);
  else
    OnlineBlock(b, kernel, sizes, exps).emit(grid);
  kernel.erase();
}
