// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by lowerings for GPUs: places of threads, pointers, pairs.

#ifndef MIXATTN_PASSES_LOWER_GPU_WARP_EMITTER_H
#define MIXATTN_PASSES_LOWER_GPU_WARP_EMITTER_H

#include "passes/body/IndexMath.h"
#include "passes/lower/gpu/DeviceBuffers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mixattn {

/// Emits code that each thread of a warp runs.
class WarpEmitter {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  WarpEmitter(mlir::Location loc, mlir::OpBuilder &builder)
      : b(loc, builder), at(b) {}

protected:
  /// Columns of one mma, rows of a warp, and bytes of an f16 or bf16.
  static constexpr int64_t chunk = 8, warpRows = 16, width = 2;

  /// The thread's number in the block, and in its warp; the warp's number.
  mlir::Value thread();
  mlir::Value lane() { return at.rem(thread(), 32); }
  mlir::Value warp() { return at.div(thread(), 32); }
  /// The place in a fragment of the thread's first element.
  mlir::Value laneRow() { return at.div(lane(), 4); }
  mlir::Value laneColumn() { return at.mul(at.rem(lane(), 4), 2); }
  /// The row of that element, where the block's rows begin at `row`.
  mlir::Value ownRow(mlir::Value row) {
    return at.add(at.add(row, laneRow()), at.mul(warp(), warpRows));
  }

  /// The indices of row `row` among `count` that come in turn: which of them it
  /// is of, and its number there.
  Values turnOf(mlir::Value row, int64_t count) {
    return {at.rem(row, count), at.div(row, count)};
  }
  /// The address of `buffer[row][column]` in the device's memory, and that of
  /// `tile[row][column]` in shared memory, of a padded tile. Rows of several
  /// matrices come in turn.
  mlir::Value devicePointer(mlir::Value buffer, mlir::Value row,
                            mlir::Value column);
  mlir::Value sharedPointer(mlir::Value tile, mlir::Value row,
                            mlir::Value column);
  /// The address `bytes` after `pointer`.
  mlir::Value shifted(mlir::Value pointer, int64_t bytes);

  /// `value`, an i32, an i64 or an index, which the compiler takes for one that
  /// is known only here: it computes nothing from it before.
  mlir::Value keptHere(mlir::Value value);

  /// Runs what `inside` emits where `condition` holds.
  void onlyIf(mlir::Value condition, llvm::function_ref<void()> inside);

  mlir::Value number(int64_t value) {
    return mlir::arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }
  mlir::Value element(mlir::Value vector, int64_t i);
  /// A vector of `elements`.
  mlir::Value joined(llvm::ArrayRef<mlir::Value> elements);
  /// The registers, of type i32, that hold `operand`, two elements each.
  mlir::Value registersOf(mlir::Value operand);
  /// The operand of elements of `type` that `registers`, of type i32, hold.
  mlir::Value operandOf(llvm::ArrayRef<mlir::Value> registers, mlir::Type type);
  /// Two f32 rounded to `type`, in one i32, the first in its lower half.
  mlir::Value rounded(mlir::Value first, mlir::Value second, mlir::Type type);

  /// Columns of `matrix`, or of several matrices.
  static int64_t columnsOf(mlir::Value matrix) {
    return llvm::cast<mlir::MemRefType>(matrix.getType()).getShape().back();
  }
  static int64_t lengthOf(mlir::Value vector) {
    return llvm::cast<mlir::VectorType>(vector.getType()).getDimSize(0);
  }

  mlir::ImplicitLocOpBuilder b;
  IndexMath at;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_GPU_WARP_EMITTER_H
