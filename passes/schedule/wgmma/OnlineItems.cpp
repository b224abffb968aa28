// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The items of a block of threads, and who does what for each of them.

#include "passes/body/KeptHere.h"
#include "passes/schedule/wgmma/OnlineBlock.h"
#include "passes/schedule/wgmma/Schedules.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::wgmma;

void OnlineBlock::emitItemOf(Value number) {
  Value rest = at.div(number, counts[0]);
  emitItem(ValueRange{at.rem(number, counts[0]), at.rem(rest, counts[1]),
                      at.div(rest, counts[1])},
           blockQueries);
  // Where all items see the same keys, positions of these would be computed
  // before the loop, and take more registers than there are.
  if (sizes.isPersistent())
    range.end = keptHere(b, range.end);
  Value keys = at.max(at.sub(range.end, range.begin), 0);
  numBlocks = at.div(at.add(keys, sizes.keys - 1), sizes.keys);
  hasBlocks = at.compare(arith::CmpIPredicate::sgt, numBlocks, 0);
}

void OnlineBlock::forEachItem(Value own, function_ref<void()> emitOne) {
  if (!sizes.isPersistent()) {
    numDone = at.value(0);
    filled.assign(sizes.stages, numDone);
    emitItemOf(own);
    return emitOne();
  }
  Value blocks = gpu::GridDimOp::create(b, gpu::Dimension::x);
  Value items = at.mul(at.mul(counts[0], counts[1]), counts[2]);
  Value last = at.sub(at.sub(blocks, 1), own);
  auto placeIn = [&](Value round) -> Value {
    Value isForth = at.compare(arith::CmpIPredicate::eq, at.rem(round, 2), 0);
    return arith::SelectOp::create(b, isForth, own, last);
  };
  Value rounds = at.div(items, blocks);
  Value hasLast = at.compare(arith::CmpIPredicate::slt, placeIn(rounds),
                             at.rem(items, blocks));
  Value numItems = at.add(rounds, b.createOrFold<arith::SelectOp>(
                                      hasLast, at.value(1), at.value(0)));
  auto loop = scf::ForOp::create(b, at.value(0), numItems, at.value(1),
                                 Values(sizes.stages, at.value(0)));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  numDone = loop.getInductionVar();
  filled.assign(loop.getRegionIterArgs().begin(),
                loop.getRegionIterArgs().end());
  emitItemOf(at.add(at.mul(numDone, blocks), placeIn(numDone)));
  emitOne();
  Values next;
  for (auto [stage, before] : llvm::enumerate(filled))
    next.push_back(at.add(
        before, at.div(at.add(numBlocks, sizes.stages - 1 - int64_t(stage)),
                       sizes.stages)));
  scf::YieldOp::create(b, next);
}

/// Fills the rings in the order in which consumers read them: queries also
/// where no key is seen, so that each item has them once.
void OnlineBlock::emitProducer() {
  for (int64_t channel = 0; channel < group.channels; ++channel)
    fill(queryRing, at.value(channel), numDone, queryMap,
         {batch, queryHead(channel), firstQuery});
  auto loop = scf::ForOp::create(b, at.value(0), numBlocks, at.value(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar(), row = firstKeyOf(number);
  Turn own = turn(at.rem(number, sizes.stages), at.div(number, sizes.stages));
  for (int64_t tile = 0; tile < group.tiles(); ++tile) {
    Values place = {batch, keyHead(tile / group.products)};
    if (op.getKeyType().getRank() == 5)
      place.push_back(at.value(tile % group.products));
    place.push_back(row);
    fill(keyRing, stageOf(own, tile, group.tiles()), own.count, keyMap, place);
  }
  // Values of blocks whose weights no query keeps are not read: for rows after
  // the last key TMA writes zeros.
  if (op.getKeep())
    row = arith::SelectOp::create(b, range.emitIsPooled(b, row, sizes.keys),
                                  row, range.keys);
  int64_t headsOfValue = group.heads / group.values;
  for (int64_t tile = 0; tile < group.values; ++tile)
    fill(valueRing, stageOf(own, tile, group.values), own.count, valueMap,
         {batch, at.div(heads[tile * headsOfValue], op.getValueGroup()), row});
}

void OnlineBlock::emitConsumer() {
  reportLengths();
  areApart = emitAreApart();
  queries.clear();
  for (int64_t channel = 0; channel < group.channels; ++channel)
    queries.push_back(await(queryRing, at.value(channel), numDone));
  Values none;
  for (int64_t g = 0; g < group.heads; ++g) {
    Statistics empty = emitNoStatistics();
    none.append({constant(fragment(group.valueFeatures), 0), empty.reference,
                 empty.sum});
  }
  auto choice = scf::IfOp::create(b, ValueRange(none).getTypes(), hasBlocks,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    releaseQueries();
    scf::YieldOp::create(b, none);
    b.setInsertionPointToStart(choice.thenBlock());
    State state = emitBlocks();
    Values results;
    for (auto [outputs, statistics] :
         llvm::zip(state.outputs, state.statistics))
      results.append({outputs, statistics.reference, statistics.sum});
    scf::YieldOp::create(b, results);
  }
  Values outputs;
  SmallVector<Statistics> statistics;
  for (int64_t g = 0; g < group.heads; ++g) {
    outputs.push_back(choice.getResult(3 * g));
    statistics.push_back(
        {choice.getResult(3 * g + 1), choice.getResult(3 * g + 2)});
  }
  emitResults(outputs, statistics);
}

/// Each warp's rows go by themselves.
void OnlineBlock::emitStore(int64_t g, Value outputs) {
  if (!outputTile)
    return FragmentBody::emitStore(g, outputs);
  tile::WgmmaStoreOp::create(b, outputs, outputTile, outputMap,
                             ValueRange{batch, heads[g], firstQuery});
}

void OnlineBlock::emitWaitForStores() {
  if (!outputTile)
    return FragmentBody::emitWaitForStores();
  tile::WgmmaStoredOp::create(b);
}

void OnlineBlock::emit(tile::GridOp grid) {
  queryRing = tile::WgmmaRingOp::create(b, sizes.queryRing(), 0);
  keyRing = tile::WgmmaRingOp::create(b, sizes.keyRing(), sizes.keyOffset());
  valueRing =
      tile::WgmmaRingOp::create(b, sizes.valueRing(), sizes.valueOffset());
  queryMap = mapOf(buffers.bufferOf(op.getQuery()), blockQueries);
  keyMap = mapOf(buffers.bufferOf(op.getKey()), sizes.keys);
  valueMap = mapOf(buffers.bufferOf(op.getValue()), sizes.keys);
  if (sizes.outputColumns > 0) {
    constexpr int64_t warpRows = 16;
    outputTile =
        tile::SharedTileOp::create(b, sizes.outputTile(), sizes.outputOffset());
    outputMap = mapOf(kernel.getOutputs()[0], warpRows);
  }
  OperandWindows windows = sizes.windows();
  fetches = !windows.all.empty() || !windows.numbers.empty();
  buffers.lay(b, windows, sizes.windowOffset(), warpThreads, emitWarp());
  tile::WgmmaOpenOp::create(b, ValueRange{queryRing, keyRing, valueRing},
                            consumers);

  Value own = grid.getItem().front();
  auto roles = tile::WgmmaRolesOp::create(b, consumers, producerRegisters,
                                          consumerRegisters);
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&roles.getProducer());
  forEachItem(own, [&] { emitProducer(); });
  b.createBlock(&roles.getConsumer());
  tile::WgmmaOpenTurnsOp::create(b);
  forEachItem(own, [&] { emitConsumer(); });
  if (outputTile)
    tile::WgmmaStoredOp::create(b);
  tile::WgmmaCloseTurnsOp::create(b);
}

void wgmma::scheduleOnline(KernelOp kernel, int64_t sharedBytes, int64_t exps) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  auto op = cast<AttentionOpInterface>(kernel.getAnchor());
  BlockSizes sizes(op, sharedBytes);
  SmallVector<Value> counts =
      countItems(b, kernel, op, blockQueries, sizes.group.heads);
  IndexMath at(b);
  Value items = at.mul(at.mul(counts[0], counts[1]), counts[2]);
  Value blocks =
      sizes.isPersistent()
          ? at.min(items,
                   Value(tile::MultiprocessorsOp::create(b, b.getIndexType())))
          : items;
  auto grid = tile::GridOp::create(b, ValueRange{blocks}, threads);
  b.setInsertionPointToStart(&grid.getBody().front());
  OnlineBlock(b, kernel, sizes, exps, counts).emit(grid);
  kernel.erase();
}
