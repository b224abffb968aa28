// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices whose rows are walked a vector of columns at a time.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_ROW_BUILDER_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_ROW_BUILDER_H

#include "passes/schedule/x86/shared/TileBuilder.h"

namespace mixattn {

/// Emits code in which lanes are features, and rows of a matrix are queries or
/// keys.
class RowBuilder : public TileBuilder {
public:
  using TileBuilder::TileBuilder;

protected:
  /// `rows` x `columns` elements of `matrix` from [`row`, `column`] on.
  mlir::Value partOf(mlir::Value matrix, mlir::Value row, mlir::Value column,
                     int64_t rows, int64_t columns);
  /// A mask of lanes from `begin` to before `end`.
  mlir::Value lanesBetween(int64_t begin, int64_t end);
  /// Runs `inside` for all of `count` columns, one vector at a time; `mask` is
  /// null where all its lanes are there.
  void forEachPart(
      int64_t count,
      llvm::function_ref<void(mlir::Value column, mlir::Value mask)> inside);
  /// Runs `then` where `condition` holds, else `otherwise`, if it is given.
  void emitIf(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = nullptr);
  /// The lanes at [`row`, `column`] of a matrix of any floats as f32, and 0
  /// where the mask is not set.
  mlir::Value loadPart(mlir::Value matrix, mlir::Value row, mlir::Value column,
                       mlir::Value mask);
  /// Stores lanes of f32, rounded to the matrix' element type.
  void storePart(mlir::Value lanes, mlir::Value matrix, mlir::Value row,
                 mlir::Value column, mlir::Value mask);
  void fillRow(double value, mlir::Value tile, mlir::Value row,
               int64_t columns);
  mlir::Value spread(mlir::Value number) { return spread(number, rowType()); }
  mlir::Value spread(mlir::Value number, mlir::VectorType type);
  /// The element of `buffer`, floats of any type, at `indices` as f32.
  mlir::Value loadNumber(mlir::Value buffer, mlir::ValueRange indices);
  /// sum_c tile[row][c] weights[0][c] over `columns` columns; without weights
  /// they are ones.
  mlir::Value emitDot(mlir::Value tile, mlir::Value row, mlir::Value weights,
                      int64_t columns);
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_ROW_BUILDER_H
