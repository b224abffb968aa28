// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a body reads the tensors of its attention.

#ifndef MIXATTN_PASSES_BODY_BODY_OPERANDS_H
#define MIXATTN_PASSES_BODY_BODY_OPERANDS_H

#include "mlir/IR/Builders.h"

namespace mixattn {

/// Where the tensors of an attention lie: each lowering says so.
class BodyOperands {
public:
  virtual ~BodyOperands() = default;

  /// Emits the element of `tensor` at `indices`, of the tensor's element type
  /// (booleans as i1).
  virtual mlir::Value emitRead(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value tensor,
                               mlir::ValueRange indices) = 0;

  /// Emits the size of dimension `dim`, of index type, of `tensor`.
  virtual mlir::Value emitSize(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value tensor, mlir::Value dim) = 0;

  /// Emits what stands for `value`, a number that a score_mod captures.
  virtual mlir::Value emitNumber(mlir::OpBuilder &builder,
                                 mlir::Value value) = 0;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_BODY_BODY_OPERANDS_H
