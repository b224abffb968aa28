// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A piece of the rows of a pool whose weights are given.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_POOL_BANDED_TILE_H
#define MIXATTN_PASSES_SCHEDULE_X86_POOL_BANDED_TILE_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/x86/pool/PoolTables.h"
#include "passes/schedule/x86/shared/RowBuilder.h"

namespace mixattn {

/// Emits `sizes.block` rows of one head: band or copies, then errors, into f32
/// scratch; then quotients, in the value's type.
class BandedTile : public RowBuilder {
public:
  BandedTile(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
             const TileSizes &sizes, Scratch &scratch);

  /// Piece `number` of the rows of head `head`, which has `pieces`. Without
  /// scratch it only counts.
  void emit(mlir::Value batch, mlir::Value head, mlir::Value number,
            mlir::Value pieces, const PoolTables &tables);

  mlir::Value sizeOf(OperandDim of);

private:
  mlir::Value bufferOf(mlir::Value operand) {
    return kernel.getOperandOf(operand);
  }
  void emitBand();
  void emitBandPart(mlir::Value row, mlir::Value column, int64_t columns);
  /// Some rows from `row` on, some vectors of features (masks are null where
  /// all lanes are there), and their sums so far, row by row.
  struct BandPart {
    mlir::Value row;
    llvm::SmallVector<mlir::Value> columns, masks, sums;
  };
  void emitKey(BandPart &part, mlir::Value offset, int64_t from, int64_t to);
  void emitEdge(BandPart &part, int64_t offset);
  void emitInside(BandPart &part, int64_t from, int64_t to);
  void emitBandSums();
  void emitCopies(mlir::Value columnOfRow);
  void emitErrors(mlir::Value piece, const PoolTables &tables);
  void emitResults(mlir::Value batch);
  /// `sum` plus `weight` times `value`; `sum` where the weight is 0, whatever
  /// the value is.
  mlir::Value addWeighted(mlir::Value weight, mlir::Value value,
                          mlir::Value sum);

  KernelOp kernel;
  StructuredPoolOp op;
  int64_t features;
  /// The head, and its values.
  mlir::Value head, values;
  /// The first row, the count of rows, and that of the whole head.
  mlir::Value first, count, length;
  /// [block, features in whole vectors] and, in f64, [block, 1].
  mlir::Value pooled, sums;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_POOL_BANDED_TILE_H
