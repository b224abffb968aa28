// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Features of one query or key at a time, a row in scratch.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_LINEAR_FEATURES_H
#define MIXATTN_PASSES_SCHEDULE_X86_LINEAR_FEATURES_H

#include "passes/schedule/x86/Operands.h"
#include "passes/schedule/x86/TileBuilder.h"

namespace mixattn {

/// Emits the feature map of a linear attention. Here lanes are features, and
/// rows of a tile are queries or keys; a row is as many whole vectors as its
/// features need, zeros behind them.
class FeatureRows : public TileBuilder {
public:
  /// Without `scratch` it only counts what it would take of it.
  FeatureRows(mlir::ImplicitLocOpBuilder &b, LinearAttentionOpInterface op,
              KernelOperands &operands, const TileSizes &sizes,
              mlir::Value scratch);

protected:
  /// A query or a key: a row of a matrix, and a row to add to it, or null.
  struct Source {
    mlir::Value matrix, row, shifts, shiftRow;
  };

  /// The next bytes of scratch as a matrix of f32.
  mlir::Value takeRows(int64_t rows, int64_t columns);
  /// `rows` x `columns` elements of `matrix` from [`row`, `column`] on.
  mlir::Value partOf(mlir::Value matrix, mlir::Value row, mlir::Value column,
                     int64_t rows, int64_t columns);
  /// Runs `inside` for all of `count` columns, one vector at a time; `mask` is
  /// null where all its lanes are there.
  void forEachPart(
      int64_t count,
      llvm::function_ref<void(mlir::Value column, mlir::Value mask)> inside);
  /// The lanes at [`row`, `column`] of a matrix of any floats as f32, and 0
  /// where the mask is not set.
  mlir::Value loadPart(mlir::Value matrix, mlir::Value row, mlir::Value column,
                       mlir::Value mask);
  /// Stores lanes of f32, rounded to the matrix' element type.
  void storePart(mlir::Value lanes, mlir::Value matrix, mlir::Value row,
                 mlir::Value column, mlir::Value mask);
  /// Asks for row `row`, or the last one, of a matrix, which is read once.
  void emitPrefetch(mlir::Value matrix, mlir::Value row);
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

  void takeFeatureScratch();
  /// Writes the features of `source` from column 0 of row `row` of `tile` on.
  void emitFeatures(const Source &source, mlir::Value tile, mlir::Value row);

  LinearAttentionOpInterface op;
  KernelOperands &operands;
  mlir::Value scratch;
  int64_t scratchBytes = 0;
  /// Features of an input and of the map, and the columns that these take.
  int64_t inputs, features, columns;

private:
  mlir::Value emitInput(const Source &source, mlir::Value column,
                        mlir::Value mask);
  void emitEach(
      const Source &source, mlir::Value tile, mlir::Value row,
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value)> each);
  void emitNormalized(mlir::Value tile, mlir::Value row);
  void emitRolled(const Source &source, mlir::Value tile, mlir::Value row);
  void emitRandom(const Source &source, mlir::Value tile, mlir::Value row);
  void emitPadding(mlir::Value tile, mlir::Value row);

  /// A row that maps keep between their steps.
  mlir::Value stepTile;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_LINEAR_FEATURES_H
