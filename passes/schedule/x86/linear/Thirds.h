// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of f32 as thirds of bf16, which AMX multiplies.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_LINEAR_THIRDS_H
#define MIXATTN_PASSES_SCHEDULE_X86_LINEAR_THIRDS_H

#include "passes/schedule/x86/shared/RowBuilder.h"

namespace mixattn {

/// Whether AMX multiplies thirds for a linear attention of `values`, and of
/// results of their type: bf16, in chunks of whole squares.
bool mayMultiplyThirds(mlir::Value values, const TileSizes &sizes);

/// Emits products of matrices of f32 by AMX. A number of f32 is the sum of
/// three of bf16, each with 8 bits of its mantissa: upper, middle and lower. A
/// product of two numbers is that of six pairs of thirds. It lacks three pairs,
/// less than 2^-20 of it: about what sums of f32 round.
///
/// The thirds of 32 numbers lie side by side, once for each pair: on the left
/// as columns, upper, middle, lower, upper, middle, upper; on the right as
/// rows, three times upper, twice middle, lower. So one `tile.x86.product` adds
/// up all pairs. Where numbers on the right are bf16 the first three do.
///
/// Thirds of an infinity, and lower ones times an infinity, may be NaN. Numbers
/// below the smallest normal one count as 0.
class Thirds : public RowBuilder {
public:
  using RowBuilder::RowBuilder;

  /// Whether the numbers on the right side of a product are bf16.
  enum class Right { Exact, Split };

  /// The terms of products over `count` numbers: columns on the left, and two
  /// for each row of pairs on the right.
  static int64_t termsOf(int64_t count, Right right);
  mlir::Value emitTerms(mlir::Value count, Right right);
  /// The left side for `rows` rows of `count` numbers, and the right side for
  /// `count` rows of `lanes` numbers, in scratch.
  mlir::Value takeLeft(int64_t rows, int64_t count, Right right);
  mlir::Value takeRight(int64_t count, int64_t lanes, Right right);

  /// Writes the thirds of the first `rows` rows of `matrix`, whole vectors,
  /// from column `column` of `left` on.
  void emitLeft(mlir::Value matrix, mlir::Value rows, mlir::Value left,
                mlir::Value column, Right right);
  /// Writes the thirds of all rows of `matrix`, an even number of them, from
  /// row `row` of `pairs` on.
  void emitRight(mlir::Value matrix, mlir::Value pairs, mlir::Value row,
                 Right right);
  /// target = left right over the first `terms` terms, from row `row` of `left`
  /// on.
  void emitProduct(mlir::Value left, mlir::Value row, mlir::Value pairs,
                   mlir::Value terms, mlir::Value target);

private:
  /// The upper, middle and lower thirds of a vector, as f32.
  using Split = std::array<mlir::Value, 3>;

  Split split(mlir::Value numbers);
  void storeColumns(mlir::Value first, mlir::Value second, mlir::Value left,
                    mlir::Value row, mlir::Value column);
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_LINEAR_THIRDS_H
