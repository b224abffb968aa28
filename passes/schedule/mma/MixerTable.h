// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mixers of weights in shared memory, a column for each query of a block.

#ifndef MIXATTN_PASSES_SCHEDULE_MMA_MIXER_TABLE_H
#define MIXATTN_PASSES_SCHEDULE_MMA_MIXER_TABLE_H

#include "dialect/attn/AttnOps.h"
#include "dialect/tile/TileOps.h"
#include "passes/schedule/KernelBuffers.h"

namespace mixattn::mma {

/// mixer[from, to] of all queries, or bias[from, to] + sum_d source[row][d]
/// weight[d, to] of one, whose place is `sourceRow`, summed up by one thread.
mlir::Value emitMixer(mlir::ImplicitLocOpBuilder &b, AttentionOpInterface op,
                      KernelBuffers &buffers,
                      llvm::ArrayRef<mlir::Value> sourceRow, mlir::Value from,
                      mlir::Value to);

/// The mixers of a block's output heads: those of each of its queries, or of
/// all. Those of f16 are times a power of two of the query and the output head,
/// by which no mixed weight is beyond f16, and as few as can be below it; rows
/// of their inverses come after all others.
struct MixerTable {
  AttentionOpInterface op;
  /// Output heads of the block, the first of them, and the threads that write.
  int64_t heads;
  mlir::Value firstHead;
  int64_t threads;
  /// The batch row, the first query, and queries that there are.
  mlir::Value batch, firstQuery, numQueries;
  /// A row for each mixed head and output head, a column for each query; all in
  /// one row where the mixers are those of all queries.
  mlir::Value tile;
  bool isByRow = true, isScaled = false;

  using Finish = llvm::function_ref<mlir::Value(
      mlir::Value head, mlir::Value query, mlir::Value mixer)>;

  /// Writes what `finish` makes of the mixers. Others read it after a barrier.
  void emit(mlir::ImplicitLocOpBuilder &b, KernelBuffers &buffers,
            Finish finish);
  /// The row that says what `head` gives to head `g` of the block.
  template <typename G>
  mlir::Value rowOf(IndexMath &at, mlir::Value head, G g) const {
    return at.add(at.mul(head, heads), g);
  }
  /// The share of `head` in head `g` of the block, a number of each row.
  mlir::Value emitRows(mlir::ImplicitLocOpBuilder &b, mlir::Value head,
                       int64_t g) const;
  /// The same for the query in `row`.
  mlir::Value emitAt(mlir::ImplicitLocOpBuilder &b, mlir::Value head, int64_t g,
                     mlir::Value row) const;
  /// In place of a mixed head: what takes the power of two out again.
  mlir::Value inverses(IndexMath &at) { return at.value(op.getNumHeads()); }

private:
  /// Where `row` and `column` are in the tile.
  std::pair<mlir::Value, mlir::Value> placeOf(IndexMath &at, mlir::Value row,
                                              mlir::Value column) const {
    if (isByRow)
      return {row, column};
    return {at.value(0), row};
  }
  void emitScaled(mlir::ImplicitLocOpBuilder &b, KernelBuffers &buffers,
                  Finish finish);
};

} // namespace mixattn::mma

#endif // MIXATTN_PASSES_SCHEDULE_MMA_MIXER_TABLE_H
