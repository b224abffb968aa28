// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers the tiles of a kernel and shares them among threads.

#include "passes/schedule/x86/attention/Items.h"
#include "passes/body/IndexMath.h"
#include "passes/schedule/x86/attention/AttentionTile.h"
#include "passes/schedule/x86/attention/ValuePanels.h"
#include "passes/schedule/x86/shared/Grid.h"
#include "passes/schedule/x86/shared/Thresholds.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

/// Multiply-adds of a weight, at most: with the components of a key, and with a
/// value. Maps that heads share have fewer.
static int64_t multiplyAddsOf(AttentionOpInterface op) {
  int64_t features = 0;
  if (op.getQuery())
    features = op.getNumComponents() * op.getQueryType().getDimSize(3);
  return features + op.getValueType().getDimSize(3);
}

void mixattn::emitItems(
    KernelOp kernel, const TileSizes &sizes, int64_t groups,
    function_ref<Value(ImplicitLocOpBuilder &, const TileSizes &)> bytes,
    function_ref<void(ImplicitLocOpBuilder &, const TileSizes &, const Item &,
                      Scratch &)>
        emitTile) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  auto op = cast<AttentionOpInterface>(kernel.getAnchor());
  auto sizeOf = [&](OperandDim of) {
    return b.createOrFold<memref::DimOp>(kernel.getOperandOf(of.value), of.dim);
  };
  Value batches = sizeOf(op.getBatchDim());
  Value queries = sizeOf(op.getQueriesDim());
  Value scores = at.mul(at.mul(batches, at.mul(queries, op.getNumHeads())),
                        sizeOf(op.getKeysDim()));

  TileSizes narrow = sizes.narrow(mayUsePairs(op, sizes));
  Value whole = at.div(queries, sizes.width);
  Value rest = at.rem(queries, sizes.width);
  Value tiles =
      at.add(whole, at.div(at.add(rest, narrow.width - 1), narrow.width));
  Value items = at.mul(at.mul(batches, groups), tiles);
  Value scratchBytes = at.max(bytes(b, sizes), bytes(b, narrow));
  Value panels;
  if (mayUseAmx(op, sizes))
    panels = emitValuePanels(b, kernel, sizes);
  int64_t few = std::min(thresholds::fewScores,
                         thresholds::fewAttended / multiplyAddsOf(op));
  Value isLarge = at.compare(arith::CmpIPredicate::sgt, scores, few);

  emitGrid(
      b, items, isLarge, scratchBytes,
      [&](ImplicitLocOpBuilder &b, Value number, Scratch &scratch) {
        IndexMath at(b);
        // The last tile first: with causality it sees the most keys.
        Value tile = at.sub(at.sub(tiles, 1), at.rem(number, tiles));
        Value group = at.div(number, tiles);
        Item item;
        item.valuePanels = panels;
        item.batch = at.div(group, groups);
        item.group = at.rem(group, groups);
        Value isWhole = at.compare(arith::CmpIPredicate::slt, tile, whole);
        auto choice = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
        OpBuilder::InsertionGuard guard(b);
        // Both kinds of tile begin where the memory does.
        Scratch same = scratch;
        b.setInsertionPointToStart(choice.thenBlock());
        item.firstQuery = at.mul(tile, sizes.width);
        item.queries = at.value(sizes.width);
        emitTile(b, sizes, item, scratch);
        b.setInsertionPointToStart(choice.elseBlock());
        item.firstQuery = at.add(at.mul(whole, sizes.width),
                                 at.mul(at.sub(tile, whole), narrow.width));
        item.queries = at.min(at.sub(queries, item.firstQuery), narrow.width);
        emitTile(b, narrow, item, same);
      });
  if (panels)
    memref::DeallocOp::create(b, panels);
  kernel.erase();
}
