// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of a contraction on a GPU, and the columns of its blocks.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_DENSE_SHAPE_H
#define MIXATTN_PASSES_SCHEDULE_GPU_DENSE_SHAPE_H

#include "dialect/attn/Contraction.h"

#include "llvm/Support/MathExtras.h"

#include <string>

namespace mixattn {

/// The part of a contraction that a block of threads has: rows and columns of
/// the result, of one loop each. It adds up products of a few terms at a time.
/// Other loops of rows, of columns and of batches are batches of the grid.
struct DenseShape {
  /// Chooses the loops, and columns of a block, `mostColumns` at most.
  DenseShape(const Contraction &op, int64_t mostColumns);

  /// Why fragments do not hold `op`, or nothing.
  std::string why;

  /// The loops of the tile, and of the innermost terms; others that are summed
  /// over, and those that the grid walks over.
  unsigned rowLoop = 0, columnLoop = 0, termLoop = 0;
  Contraction::Loops outerTerms, batches;
  /// Whether the terms of a column lie side by side on the right, rather than
  /// the columns of a term.
  bool areTermsInRows = false;

  /// Columns that there are, and of a block: the last blocks may have some of
  /// them both.
  int64_t allColumns = 0, columns = 0;
  /// Innermost terms that there are.
  int64_t allTerms = 0;
  bool hasOpenColumns() const {
    return mlir::ShapedType::isDynamic(allColumns);
  }
  bool hasOpenTerms() const { return mlir::ShapedType::isDynamic(allTerms); }
  /// That of both sides: f16 or bf16.
  mlir::Type type;

  /// Columns of a block with those that fill a product.
  int64_t width() const { return llvm::alignTo(columns, 16); }
  /// Whether every block has all of its columns, and no other has one of them.
  bool areBlocksWhole() const {
    return !hasOpenColumns() && allColumns % columns == 0;
  }

protected:
  /// Lowers `stages`, the steps that shared memory holds, to no less than 2,
  /// until `countBytes` of a block are at most `sharedBytes`; says why where
  /// they stay more.
  void fitStages(int64_t &stages, int64_t sharedBytes,
                 llvm::function_ref<int64_t()> countBytes);

private:
  void chooseLoops(const Contraction &op);
  void chooseColumns(int64_t mostColumns);
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_GPU_DENSE_SHAPE_H
