// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block of threads of a dense kernel on a GPU.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_DENSE_BLOCK_H
#define MIXATTN_PASSES_SCHEDULE_GPU_DENSE_BLOCK_H

#include "dialect/tile/TileOps.h"
#include "passes/body/IndexMath.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/gpu/DenseShape.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// Emits the code of a block of threads: all but how it adds up products. The
/// counts of the grid are blocks of rows, blocks of columns, batches. Where
/// these may be more than a driver takes, the second count is that of blocks of
/// columns for each span of so many batches; the last span's blocks of batches
/// that are not there do nothing. Columns that do not fill the last block are
/// those of the block before again, where their number is known; else there are
/// fewer.
class DenseBlock {
protected:
  using Values = llvm::SmallVector<mlir::Value>;
  /// An index for each loop.
  using Place = llvm::DenseMap<unsigned, mlir::Value>;
  /// A part of a loop: from `first` on, `count` of it, or all that there are.
  struct Part {
    unsigned loop;
    mlir::Value first;
    int64_t count = mlir::ShapedType::kDynamic;
  };

  DenseBlock(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
             const Contraction &op, const DenseShape &shape)
      : b(b), at(b), kernel(kernel), op(op), shape(shape),
        buffers(mlir::ValueRange(kernel.getInputs())) {}

  /// The grid of blocks of `rows` rows; what follows is emitted into it, where
  /// the item's places are known.
  void makeGrid(int64_t rows, int64_t threads);
  /// Steps over all terms, of which the innermost loop has `stepsOfLoop`.
  mlir::Value countSteps(mlir::Value stepsOfLoop);
  /// The step of the innermost loop that step `step` is, and the place of the
  /// loops further out.
  std::pair<mlir::Value, Place> findStep(mlir::Value step,
                                         mlir::Value stepsOfLoop);
  mlir::Value sizeOf(unsigned loop);
  mlir::Value bufferOf(mlir::Value tensor) {
    return kernel.getOperandOf(tensor);
  }
  /// The matrix of `rows` and of `columns`, the last dim; other loops stand at
  /// `place`.
  mlir::Value matrixOf(mlir::Value buffer, mlir::AffineMap map,
                       const Place &place, const Part &rows,
                       const Part &columns);
  /// Writes what the kernel's pointwise ops make of `sums`, those of the rows
  /// from `first` on. What these ops read of `columnsAtATime` columns is in
  /// registers together: it is asked for before any of it is used.
  void emitResults(mlir::Value sums, mlir::Value first, int64_t columnsAtATime);

  mlir::ImplicitLocOpBuilder &b;
  IndexMath at;
  KernelOp kernel;
  const Contraction &op;
  const DenseShape &shape;
  KernelBuffers buffers;
  Place batch;
  /// The first column of the block, and the first that it alone has.
  mlir::Value firstColumn, firstOwnColumn;
  mlir::Value firstRow, numRows, numColumns;

private:
  mlir::Value emitElement(mlir::Value row, mlir::Value column, mlir::Value sum);
  mlir::Value emitIsOwn(mlir::Value row, mlir::Value column);
  mlir::Value emitConsumers(mlir::Value sums, mlir::Value first,
                            mlir::Value column);
  void emitStore(mlir::Value results, mlir::Value first, const Part &columns);
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_GPU_DENSE_BLOCK_H
