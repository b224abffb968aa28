// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Features of one query or key at a time, a row in scratch.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_LINEAR_FEATURE_ROWS_H
#define MIXATTN_PASSES_SCHEDULE_X86_LINEAR_FEATURE_ROWS_H

#include "passes/schedule/x86/shared/Operands.h"
#include "passes/schedule/x86/shared/RowBuilder.h"

namespace mixattn {

/// Emits the feature map of a linear attention. Rows are queries or keys; a row
/// is as many whole vectors as its features need, with zeros after them.
class FeatureRows : public RowBuilder {
public:
  /// Features of `inputs` numbers of a query or key, by the map of `op`.
  FeatureRows(mlir::ImplicitLocOpBuilder &b, FeatureOpInterface op,
              int64_t inputs, KernelOperands &operands, const TileSizes &sizes,
              Scratch &scratch);

  /// The columns that features take: whole vectors.
  int64_t featureColumns() const { return columns; }

protected:
  /// A query or a key: a row of a matrix, and a row to add to it, or null.
  struct Source {
    mlir::Value matrix, row, shifts, shiftRow;
  };

  void takeFeatureScratch();
  /// Asks for a row of `matrix` that lies so far after `row` that memory has
  /// the time to bring it.
  void emitPrefetchAhead(mlir::Value matrix, mlir::Value row,
                         bool isWrite = false);
  /// Writes the features of `source` from column 0 of row `row` of `tile` on.
  void emitFeatures(const Source &source, mlir::Value tile, mlir::Value row);

  KernelOperands &operands;
  /// Features of an input and of the map, and the columns that these take.
  int64_t inputs, features, columns;

private:
  FeatureOpInterface op;

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

#endif // MIXATTN_PASSES_SCHEDULE_X86_LINEAR_FEATURE_ROWS_H
