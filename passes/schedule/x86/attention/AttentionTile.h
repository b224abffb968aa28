// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of queries of an attention: its place, operands and statistics.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_ATTENTION_TILE_H
#define MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_ATTENTION_TILE_H

#include "passes/body/Body.h"
#include "passes/schedule/KeyRange.h"
#include "passes/schedule/x86/shared/Operands.h"
#include "passes/schedule/x86/shared/TileBuilder.h"

namespace mixattn {

/// The rows of statistics that each head has in a tile.
enum Statistic {
  /// The number that is subtracted from exponents of the query before powers
  /// are taken.
  Reference,
  /// The sum of the powers in the current block of keys.
  Partial,
  /// The sum of those before, and what it lost to rounding.
  Sum,
  Lost,
  NumStatistics
};

/// Whether tiles of `sizes` compute both products of `op` by AMX.
bool mayUseAmx(AttentionOpInterface op, const TileSizes &sizes);
/// Whether products of `op` may be of pairs of bf16, by AMX or by vectors.
bool mayUsePairs(AttentionOpInterface op, const TileSizes &sizes);

/// The state that the parts of a tile share: walk, outputs, mixer, schedule.
class AttentionTile : public TileBuilder {
public:
  /// Heads that one tile of `op` holds: all where scores, weights or outputs of
  /// heads meet, else 1.
  static int64_t headsOf(AttentionOpInterface op) {
    return op.hasPremix() || op.hasPostmix() ? op.getNumHeads() : 1;
  }
  /// A tile holds the statistics of `heads` heads: 1, or all.
  AttentionTile(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
                const TileSizes &sizes, int64_t heads, Scratch &scratch);

  /// Sets the tile: `queries` queries from `firstQuery` on. For AMX values come
  /// in panels (emitValuePanels).
  void enter(mlir::Value batch, mlir::Value firstQuery, mlir::Value queries,
             mlir::Value valuePanels);
  /// Whether products are of pairs of bf16: of queries and keys, and of weights
  /// and values.
  bool hasPairedScores() const;
  /// In pairs weights are rounded to bf16: the result has to be, too.
  bool hasPairedValues() const;
  /// Whether AMX multiplies them, both products.
  bool isAmx() const { return usesAmx; }

private:
  friend class TilePart;

  KernelOp kernel;
  AttentionOpInterface op;
  KernelOperands operands;
  Body body;
  /// Heads that the tile holds.
  int64_t heads;
  bool usesAmx;
  mlir::Value queries, valuePanels;
  KeyRange range;
  mlir::Value statisticTile;
  /// The head that is walked for, where heads are not coupled.
  mlir::Value walkedHead;
};

/// A part of a tile, which emits some of its code.
class TilePart : public TileBuilder {
public:
  explicit TilePart(AttentionTile &tile)
      : TileBuilder(tile.b, tile.sizes, tile.scratch), tile(tile),
        kernel(tile.kernel), op(tile.op), operands(tile.operands),
        body(tile.body), heads(tile.heads), queries(tile.queries),
        valuePanels(tile.valuePanels), range(tile.range),
        walkedHead(tile.walkedHead) {}

protected:
  void takeStatistics() {
    tile.statisticTile = takeTile(heads * NumStatistics);
  }

  /// Runs `inside` for the heads that are walked for together.
  void forEachWalkedHead(llvm::function_ref<void(mlir::Value head)> inside);
  /// The place of `head` among those that the tile holds.
  mlir::Value slotOf(mlir::Value head) {
    return heads == 1 ? at.value(0) : head;
  }
  mlir::Value statistic(mlir::Value head, Statistic which) {
    return at.add(at.mul(slotOf(head), NumStatistics), int64_t(which));
  }
  /// The statistic of `head` as a row of a tile.
  mlir::Value statisticRow(mlir::Value head, Statistic which) {
    return rowsOf(tile.statisticTile, statistic(head, which), 1);
  }
  mlir::Value loadStatistic(mlir::Value head, Statistic which,
                            mlir::Value lane) {
    return load(tile.statisticTile, statistic(head, which), lane);
  }
  void storeStatistic(mlir::Value value, mlir::Value head, Statistic which,
                      mlir::Value lane) {
    store(value, tile.statisticTile, statistic(head, which), lane);
  }

  /// The buffer of `result` of the op.
  mlir::Value targetOf(mlir::Value result) {
    return kernel
        .getOutputs()[llvm::cast<mlir::OpResult>(result).getResultNumber()];
  }

  AttentionTile &tile;
  KernelOp kernel;
  AttentionOpInterface op;
  KernelOperands &operands;
  Body &body;
  int64_t heads;
  mlir::Value &queries, &valuePanels;
  KeyRange &range;
  mlir::Value &walkedHead;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_ATTENTION_TILE_H
