// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of f32 as halves of bf16, which AMX multiplies.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_LINEAR_HALVES_H
#define MIXATTN_PASSES_SCHEDULE_X86_LINEAR_HALVES_H

#include "passes/schedule/x86/shared/RowBuilder.h"

namespace mixattn {

/// Whether halves multiply `values`, and what is read of them: results of bf16
/// hide what the halves round, and chunks are whole squares of AMX.
bool mayMultiplyHalves(mlir::Value values, const TileSizes &sizes);

/// Emits products of matrices of f32 by AMX. A number is the sum of two of
/// bf16: its upper bits, which are cut off, and the rest, rounded. Together
/// they have 16 bits of its mantissa. A product has a term for each pair of
/// halves but the rests, and sums are f32.
///
/// The halves of 32 terms lie side by side: on the left as columns, upper, rest
/// and upper; on the right as rows, upper, upper and rest. So one
/// `tile.x86.product` adds up all of them. Where numbers on the right are
/// `exact`, bf16 themselves, it has the upper halves twice, and the left side
/// upper and rest.
///
/// Halves of an infinity, and rests times an infinity, may be NaN.
class Halves : public RowBuilder {
public:
  using RowBuilder::RowBuilder;

  /// Whether the numbers on the right side of a product are bf16.
  enum class Right { Exact, Rounded };

  /// The terms of products over `count` numbers: columns on the left, and two
  /// for each row of pairs on the right.
  static int64_t termsOf(int64_t count, Right right);
  mlir::Value emitTerms(mlir::Value count, Right right);
  /// The left side for `rows` rows of `count` numbers, and the right side for
  /// `count` rows of `lanes` numbers, in scratch.
  mlir::Value takeLeft(int64_t rows, int64_t count, Right right);
  mlir::Value takeRight(int64_t count, int64_t lanes, Right right);

  /// Writes the halves of the first `rows` rows of `matrix`, whole vectors,
  /// from column `column` of `left` on.
  void emitLeft(mlir::Value matrix, mlir::Value rows, mlir::Value left,
                mlir::Value column, Right right);
  /// Writes the halves of all rows of `matrix`, an even number of them, from
  /// row `row` of `pairs` on.
  void emitRight(mlir::Value matrix, mlir::Value pairs, mlir::Value row,
                 Right right);
  /// target = left right over the first `terms` terms, from row `row` of `left`
  /// on.
  void emitProduct(mlir::Value left, mlir::Value row, mlir::Value pairs,
                   mlir::Value terms, mlir::Value target);

private:
  /// A vector's upper halves, and its rests, as f32.
  struct Split {
    mlir::Value upper, rest;
  };

  Split split(mlir::Value numbers);
  void storeColumns(mlir::Value first, mlir::Value second, mlir::Value left,
                    mlir::Value row, mlir::Value column);
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_LINEAR_HALVES_H
