// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of values that may hold NaN or infinities.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_FINITE_ROWS_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_FINITE_ROWS_H

#include "passes/schedule/x86/shared/TileCode.h"

namespace mixattn {

/// Emits code that finds numbers which are not finite, in rows of f32, bf16 or
/// f16. A weight of 0 times such a number is NaN, where a value that a query
/// does not see must add nothing.
class FiniteRows : public TileCode {
public:
  FiniteRows(mlir::ImplicitLocOpBuilder &b, const TileSizes &sizes)
      : TileCode(b, sizes) {}

  /// Whether all numbers in `count` rows of `matrix` from row `first` on are
  /// finite: an i1. No rows are.
  mlir::Value emitAreFinite(mlir::Value matrix, mlir::Value first,
                            mlir::Value count);
  /// Copies `count` rows of `source` from row `first` on to the first rows of
  /// `target`, with 0 for each number that is not finite. Both may be one.
  void emitFinite(mlir::Value source, mlir::Value first, mlir::Value count,
                  mlir::Value target);
  /// Runs `inside` for each number that is not finite, as f32: row `row` of
  /// `count` rows of `matrix` from row `first` on, and its column.
  void forEachOther(mlir::Value matrix, mlir::Value first, mlir::Value count,
                    llvm::function_ref<void(mlir::Value number, mlir::Value row,
                                            mlir::Value column)>
                        inside);

private:
  /// Magnitudes as integers, which order as the numbers do: those of infinity
  /// and of NaN are `limit` or more.
  struct Bits {
    mlir::VectorType numbers, integers;
    mlir::Value magnitude, limit;
  };
  Bits bitsOf(mlir::Value matrix);
  mlir::Value loadRow(const Bits &bits, mlir::Value matrix, mlir::Value row,
                      mlir::Value column, mlir::Value isThere);
  mlir::Value emitMagnitude(const Bits &bits, mlir::Value numbers);
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_FINITE_ROWS_H
