// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a kernel's body finds its operands while it handles a row of lanes.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_OPERANDS_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_OPERANDS_H

#include "dialect/attn/AttnOps.h"
#include "passes/body/OperandExtents.h"
#include "passes/schedule/KernelBuffers.h"

namespace mixattn {

/// The tile of an operand that differs from query to query and from key to key:
/// a block of it, lanes being queries.
struct ElementTile {
  /// The operand, an argument of the kernel's region.
  mlir::Value tensor;
  /// How many heads of it the tile holds, one after the other.
  int64_t heads;
  /// The tile, [heads * block, width].
  mlir::Value tile;
};

/// Where the body stands.
struct LanePlace {
  /// The batch row, and the first key of the block of keys.
  mlir::Value batch, blockStart;
  /// The tile's first query, its last one, and the first lane of the row.
  mlir::Value firstQuery, lastQuery, lane;
};

/// Reads operands of an attention from the buffers of its kernel, for one query
/// or for a row of lanes.
class KernelOperands : public KernelBuffers {
public:
  KernelOperands(KernelOp kernel, int64_t lanes)
      : KernelBuffers(mlir::ValueRange(kernel.getInputs())), lanes(lanes) {}

  /// Where reads stand from now on.
  LanePlace place;
  llvm::SmallVector<ElementTile> elements;
  int64_t block = 0;

  /// Sets what lanes stand for from now on, queries or keys: a vector of index,
  /// from `first` on, and none beyond `last`.
  mlir::Value emitPositions(mlir::ImplicitLocOpBuilder &b, mlir::Value first,
                            mlir::Value last);
  /// The queries of the current row of lanes.
  mlir::Value emitQueries(mlir::ImplicitLocOpBuilder &b);
  /// Loads for lanes what `scalar` loads for one.
  mlir::Value emitWideLoad(mlir::OpBuilder &builder,
                           mlir::memref::LoadOp scalar,
                           llvm::ArrayRef<mlir::Value> indices);

  /// Emits `inside` for each of `positions`, which lanes stand for since
  /// emitPositions or emitQueries, with its elements of `lanes`.
  llvm::SmallVector<mlir::Value>
  emitForEach(mlir::ImplicitLocOpBuilder &b, mlir::Value positions,
              mlir::ValueRange lanes,
              llvm::function_ref<llvm::SmallVector<mlir::Value>(
                  mlir::OpBuilder &, mlir::Value position, mlir::ValueRange)>
                  inside);

private:
  const ElementTile *findElement(mlir::Value buffer);

  int64_t lanes;
  mlir::Value positions, firstPosition, lastPosition;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_OPERANDS_H
