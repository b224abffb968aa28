// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits grids whose items have scratch memory.

#include "passes/schedule/x86/shared/Grid.h"

#include "dialect/tile/TileOps.h"

using namespace mlir;
using namespace mixattn;

void mixattn::emitGrid(
    ImplicitLocOpBuilder &b, Value count, Value isLarge, Value bytes,
    function_ref<void(ImplicitLocOpBuilder &, Value, Scratch &)> body) {
  auto grid = tile::GridOp::create(b, count, isLarge, bytes);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&grid.getBody().front());
  Scratch scratch{grid.getScratch()};
  body(b, grid.getItem().front(), scratch);
}
