// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a kernel's body finds its operands: in buffers.

#ifndef MIXATTN_PASSES_SCHEDULE_KERNEL_BUFFERS_H
#define MIXATTN_PASSES_SCHEDULE_KERNEL_BUFFERS_H

#include "passes/body/BodyOperands.h"
#include "passes/body/IndexMath.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mixattn {

/// Reads operands of an attention from buffers, element by element.
class KernelBuffers : public BodyOperands {
public:
  /// `inputs` are the buffers, and the other values, that the arguments of a
  /// kernel's region stand for.
  explicit KernelBuffers(mlir::ValueRange inputs)
      : inputs(inputs.begin(), inputs.end()) {}

  /// The value that `argument` of the kernel's region stands for.
  mlir::Value bufferOf(mlir::Value argument) {
    return inputs[llvm::cast<mlir::BlockArgument>(argument).getArgNumber()];
  }
  /// The matrix of the last two dims of `buffer` at the `leading` others.
  static mlir::Value matrixAt(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                              llvm::ArrayRef<mlir::Value> leading);

  /// The rows of `count` heads of `buffer`, `[B,H,N,...]`, from `head` on:
  /// `[count,N]`, and the dims after those that `rest` are indices of.
  static mlir::Value headsAt(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                             mlir::Value batch, mlir::Value head, int64_t count,
                             llvm::ArrayRef<mlir::Value> rest = {});

  /// `element` of `tensor`, which memory holds, as the body takes it: booleans
  /// are bytes in memory.
  static mlir::Value asElement(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value tensor, mlir::Value element);

  mlir::Value emitRead(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value tensor, mlir::ValueRange indices) override;
  mlir::Value emitSize(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value tensor, mlir::Value dim) override;
  mlir::Value emitNumber(mlir::OpBuilder &builder, mlir::Value value) override;

private:
  llvm::SmallVector<mlir::Value> inputs;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_KERNEL_BUFFERS_H
