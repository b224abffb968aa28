// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queries, keys and scores of a block of threads of either pass over the keys.

#include "passes/schedule/mma/TwoPassBlock.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

Value TwoPassBlock::tileOf(Value tiles, Value number, int64_t rows) {
  int64_t columns = cast<tile::SharedType>(tiles.getType()).getColumns();
  return tile::SharedRowsOp::create(b, sizes.tile(rows, columns), tiles,
                                    at.mul(number, rows));
}

Value TwoPassBlock::matrixOf(Value tensor, Value head, ArrayRef<Value> more) {
  Values leading = {batch, head};
  llvm::append_range(leading, more);
  return KernelBuffers::matrixAt(b, buffers.bufferOf(tensor), leading);
}

void TwoPassBlock::emitStart(tile::GridOp grid) {
  if (sizes.hasProducts()) {
    keyTiles = tile::SharedTileOp::create(b, sizes.keyTiles(), 0);
    queryTiles =
        tile::SharedTileOp::create(b, sizes.queryTiles(), sizes.queryOffset());
  }
  if (sizes.values)
    valueTiles =
        tile::SharedTileOp::create(b, sizes.valueTiles(), sizes.valueOffset());
  emitItem(grid, groupQueries);
  blockHeads = heads;
  buffers.lay(b, sizes.windows(), sizes.windowOffset(), threads, at.value(0));
  for (int64_t unit = 0;
       unit < sizes.units && sizes.hasProducts() && !sizes.streamsQueries;
       ++unit)
    emitQueries(at.value(unit), at.value(unit));
}

void TwoPassBlock::placeWindows() {
  buffers.setPlace(
      {batch, heads.front(), queryHead(0), keyHead(0), firstQuery});
}

void TwoPassBlock::emitQueries(Value unit, Value stage) {
  setHead(headOf(unit));
  for (int64_t channel = 0; channel < sizes.channels; ++channel)
    tile::MmaCopyOp::create(b, matrixOf(op.getQuery(), queryHead(channel)),
                            firstQuery, numQueries, queriesOf(stage, channel),
                            threads);
}

void TwoPassBlock::emitKeys(Value unit, Value firstKey, Value stage) {
  if (sizes.streamsQueries)
    emitQueries(unit, stage);
  setHead(headOf(unit));
  for (int64_t tile = 0; tile < sizes.tiles(); ++tile) {
    Values component;
    if (op.getKeyType().getRank() == 5)
      component.push_back(at.value(tile % sizes.products));
    tile::MmaCopyOp::create(
        b, matrixOf(op.getKey(), keyHead(tile / sizes.products), component),
        firstKey, range.end, keysOf(stage, tile), threads);
  }
  placeWindows();
  buffers.fetchOfKeys(b, firstKey, stage);
  tile::MmaCommitOp::create(b);
}

void TwoPassBlock::emitValues(Value firstKey) {
  int64_t headsOfValue = sizes.heads / sizes.values;
  for (int64_t tile = 0; tile < sizes.values; ++tile)
    tile::MmaCopyOp::create(
        b,
        matrixOf(op.getValue(),
                 at.div(blockHeads[tile * headsOfValue], op.getValueGroup())),
        firstKey, range.end, valuesOf(tile), threads);
  tile::MmaCommitOp::create(b);
}

FragmentBody::Scores TwoPassBlock::emitUnit(Value unit, Value firstKey,
                                            Value stage) {
  setHead(headOf(unit));
  placeWindows();
  buffers.open(b, firstKey, stage);
  Value zeros = constant(fragment(sizes.keys), 0);
  Values products(sizes.hasProducts() ? 0 : 1, zeros);
  for (int64_t tile = 0; tile < sizes.tiles(); ++tile) {
    Value queries =
        queriesOf(sizes.streamsQueries ? stage : unit, tile / sizes.products);
    products.push_back(tile::MmaProductOp::create(b, zeros.getType(), queries,
                                                  keysOf(stage, tile),
                                                  b.getUnitAttr(), zeros)
                           .getResult(0));
  }
  return emitStarts(firstKey, products);
}
