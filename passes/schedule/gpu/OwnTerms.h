// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terms of keys that a block of threads makes of the keys in shared memory.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_OWN_TERMS_H
#define MIXATTN_PASSES_SCHEDULE_GPU_OWN_TERMS_H

#include "passes/schedule/KernelBuffers.h"

#include "dialect/attn/AttnOps.h"

namespace mixattn {

/// Whether blocks that visit parts of the keys of `op` can make the term of
/// each key themselves: half its square, and a prior. A stage that made it
/// would read all keys once more, which takes as long as all else. `op` is
/// Gaussian yet, or has a term that an `attn.row_term` makes.
bool makesOwnTerm(AttentionOpInterface op);

/// The op that makes the term of keys of `op`, or null.
RowTermOp findOwnTerm(AttentionOpInterface op);

/// Emits parts of the terms that `op` makes of rows.
class OwnTerm {
public:
  OwnTerm(mlir::ImplicitLocOpBuilder &b, KernelBuffers &buffers, RowTermOp op)
      : b(b), at(b), buffers(buffers), op(op) {}

  /// The number that is added to the term of each component of `head`.
  llvm::SmallVector<mlir::Value> emitPriors(mlir::Value head);
  /// The term of `component`, of a row of which `read` gives the features, an
  /// f32 each. It may be any of `priors`.
  mlir::Value emit(mlir::Value component, mlir::ValueRange priors,
                   llvm::function_ref<mlir::Value(int64_t)> read);
  /// The term at `place`: batch row, head, component, row; from the device's
  /// memory.
  mlir::Value emitAt(mlir::ValueRange place);

private:
  mlir::Value number(double value) {
    return mlir::arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
  mlir::Value read(mlir::Value operand, mlir::ValueRange place);
  int64_t numFeatures() { return op.getRows().getType().getShape().back(); }
  mlir::Value emitOf(mlir::Value component, mlir::Value squares,
                     mlir::ValueRange priors);

  mlir::ImplicitLocOpBuilder &b;
  IndexMath at;
  KernelBuffers &buffers;
  RowTermOp op;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_GPU_OWN_TERMS_H
