// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A piece of the rows of a pool whose weights are given.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_BANDED_TILE_H
#define MIXATTN_PASSES_SCHEDULE_X86_BANDED_TILE_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/x86/RowBuilder.h"

namespace mixattn {

/// What is looked up of a pool before its rows are computed. Buffers of
/// indices; null where there are no windows, or no error.
struct PoolTables {
  /// [N]: the column that a row reads, its own outside windows.
  mlir::Value columns;
  /// [C] and [P + 1]: piece p of the rows of all heads has the errors
  /// `order[ends[p]]` to before `order[ends[p + 1]]`, in the order in which
  /// they are given.
  mlir::Value order, ends;
};

/// Emits `sizes.block` rows of one head: band or copies, then errors, into f32
/// scratch; then quotients, rounded once.
class BandedTile : public RowBuilder {
public:
  BandedTile(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
             const TileSizes &sizes, mlir::Value scratch);

  /// Piece `number` of the rows of head `head`, which has `pieces`. Without
  /// scratch it only counts.
  void emit(mlir::Value batch, mlir::Value head, mlir::Value number,
            mlir::Value pieces, const PoolTables &tables);

  mlir::Value sizeOf(OperandDim of);
  /// Element (row, column) of a buffer of integers, as an index.
  mlir::Value readIndex(mlir::Value buffer, mlir::Value row, int64_t column);

protected:
  mlir::Value bufferOf(mlir::Value operand) {
    return kernel.getOperandOf(operand);
  }

  KernelOp kernel;
  StructuredPoolOp op;

private:
  void emitBand();
  void emitBandPart(mlir::Value row, mlir::Value column, int64_t columns);
  /// Some rows from `row` on, some vectors of features, and their sums so far,
  /// row by row.
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
  /// What a weight adds to lanes of a sum: nothing where it is 0, whatever the
  /// value is.
  mlir::Value addWeighted(mlir::Value weight, mlir::Value value,
                          mlir::Value sum);

  int64_t features;
  /// The head, its values, and the rows: the first, and how many there are,
  /// also of the whole head.
  mlir::Value head, values, first, count, length;
  /// [block, features] and, in f64, [block, 1].
  mlir::Value pooled, sums;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_BANDED_TILE_H
