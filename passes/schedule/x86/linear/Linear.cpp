// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The linear schedule: states over chunks of keys, read by chunks of queries.

#include "passes/schedule/x86/linear/Linear.h"
#include "passes/schedule/x86/linear/LinearTile.h"
#include "passes/schedule/x86/shared/Calibration.h"
#include "passes/schedule/x86/shared/Grid.h"

using namespace mlir;
using namespace mixattn;

using Emit = llvm::function_ref<void(LinearTile &tile, Value item)>;

/// Emits a loop over `count` items that threads share. `terms` says how much
/// work there is in all.
static void emitItems(ImplicitLocOpBuilder &b, KernelOp kernel,
                      const TileSizes &sizes, Value count, Value terms,
                      Emit emit) {
  IndexMath at(b);
  LinearTile counted(b, kernel, sizes, {});
  emit(counted, {});
  emitGrid(
      b, count,
      at.compare(arith::CmpIPredicate::sgt, terms, calibration::fewStateTerms),
      at.value(counted.bytesTaken()),
      [&](ImplicitLocOpBuilder &b, Value item, Value scratch) {
        LinearTile tile(b, kernel, sizes, scratch);
        emit(tile, item);
      });
}

/// All heads of a batch row, or each key head by itself: one item walks over
/// all its keys, since each chunk needs the state after the one before.
static void emitCausal(ImplicitLocOpBuilder &b, KernelOp kernel,
                       const TileSizes &sizes, Value batches, int64_t groups,
                       Value terms) {
  emitItems(b, kernel, sizes, IndexMath(b).mul(batches, groups), terms,
            [](LinearTile &tile, Value item) { tile.emitCausal(item); });
}

/// First the states of all key heads, then what an MLP makes of them for each
/// head, if there is one, then what queries read, chunk by chunk.
static void emitWhole(ImplicitLocOpBuilder &b, KernelOp kernel,
                      const TileSizes &sizes, Value batches, Value queries,
                      Value terms) {
  IndexMath at(b);
  LinearTile shape(b, kernel, sizes, {});
  auto op = cast<LinearAttentionOpInterface>(kernel.getAnchor());
  int64_t sources = shape.numSources(), columns = shape.featureColumns();
  Value states = at.mul(batches, op.getNumKeyHeads());
  auto allocate = [&](Value rows, int64_t columns) -> Value {
    auto type =
        MemRefType::get({ShapedType::kDynamic, columns}, b.getF32Type());
    return memref::AllocOp::create(b, type, rows, b.getI64IntegerAttr(64));
  };
  Value sums = allocate(at.mul(states, columns), shape.valueColumns());
  Value totals = allocate(at.div(states, sources), sources * columns);
  emitItems(b, kernel, sizes, states, terms, [&](LinearTile &tile, Value item) {
    tile.emitState(item, sums, totals);
  });
  SmallVector<Value> buffers = {sums, totals};
  if (op.getW1()) {
    Value heads = at.mul(batches, op.getNumHeads());
    Value mixed = allocate(at.mul(heads, columns), shape.valueColumns());
    Value mixedTotals = allocate(heads, columns);
    emitItems(b, kernel, sizes, heads, terms,
              [&](LinearTile &tile, Value item) {
                tile.emitMixedState(item, sums, totals, mixed, mixedTotals);
              });
    llvm::append_values(buffers, mixed, mixedTotals);
  }
  Value chunks = at.div(at.add(queries, sizes.block - 1), sizes.block);
  Value readSums = buffers.end()[-2], readTotals = buffers.back();
  emitItems(b, kernel, sizes, at.mul(at.mul(batches, op.getNumHeads()), chunks),
            terms, [&](LinearTile &tile, Value item) {
              tile.emitReads(item, chunks, readSums, readTotals);
            });
  for (Value buffer : llvm::reverse(buffers))
    memref::DeallocOp::create(b, buffer);
}

void mixattn::scheduleLinear(KernelOp kernel, const TileSizes &sizes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  auto op = cast<LinearAttentionOpInterface>(kernel.getAnchor());
  LinearTile shape(b, kernel, sizes, {});
  Value batches = shape.sizeOf(op.getBatchDim());
  Value queries = shape.sizeOf(op.getQueriesDim());
  Value rows =
      at.add(at.mul(queries, op.getNumHeads()),
             at.mul(shape.sizeOf(op.getKeysDim()), op.getNumKeyHeads()));
  Value terms = at.mul(at.mul(batches, rows),
                       shape.featureColumns() * shape.valueColumns());
  if (op.getCausal())
    emitCausal(b, kernel, sizes, batches, shape.numGroups(), terms);
  else
    emitWhole(b, kernel, sizes, batches, queries, terms);
  kernel.erase();
}
