// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a contraction's left side that its kernel holds.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_ROWS_H
#define MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_ROWS_H

#include "passes/schedule/x86/dense/DenseTile.h"
#include "passes/schedule/x86/rows/RowKernel.h"

#include "mlir/IR/TypeUtilities.h"

namespace mixattn {

/// Emits the ops of a kernel that come before its contraction, for some rows of
/// the left side, or copies those rows where there are no ops. They lie in
/// scratch memory as products take them: rounded as the graph says, then as
/// f32, or as bf16 where products are of pairs.
class DenseRows : public TileCode {
public:
  /// `shape` is any tile of the kernel.
  DenseRows(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
            const Contraction &op, const TileSizes &sizes, DenseTile &shape);

  /// Whether rows are copies of rows in memory: no ops make them.
  bool areCopied() { return kernel.getProducers().empty(); }
  /// The most rows that `bytes` hold.
  mlir::Value countFitting(int64_t bytes) {
    return at.div(at.value(bytes), bytesOf(pitch, termType()));
  }
  /// The bytes of scratch for `rows` rows.
  mlir::Value countBytes(mlir::Value rows);
  /// Makes or copies `rows` rows from `firstRow` on, of the batch at `place`,
  /// in `memory` from `begin` bytes on: gives a matrix of `room` rows that
  /// begins with them.
  mlir::Value emit(const Place &batch, mlir::Value firstRow, mlir::Value rows,
                   mlir::Value room, mlir::Value memory, mlir::Value begin);

private:
  mlir::Type termType() {
    return arePairs ? mlir::Type(b.getBF16Type()) : b.getF32Type();
  }
  mlir::Type madeType() { return mlir::getElementTypeOrSelf(op.left); }
  /// Whether rows are as products take them.
  bool areTerms() { return madeType() == termType(); }
  mlir::Value bytesOf(mlir::Value count, mlir::Type element) {
    return at.mul(count, int64_t(element.getIntOrFloatBitWidth() / 8));
  }
  RowKernel makeKernel();
  mlir::Value viewRow(mlir::Value memory, mlir::Value begin);
  void widenRow(mlir::Value made, mlir::Value matrix, mlir::Value row);
  void clearRest(mlir::Value matrix, mlir::Value row);

  KernelOp kernel;
  Contraction op;
  DenseTile &shape;
  bool arePairs;
  /// The dims of the left side that are rows, where ops make it.
  unsigned rowDims;
  /// Terms of a row, those of whole steps of AMX, and how far rows are apart.
  mlir::Value depth, width, pitch;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_ROWS_H
