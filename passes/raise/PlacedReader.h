// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How integers of tensors follow from their places.

#ifndef MIXATTN_PASSES_RAISE_PLACED_READER_H
#define MIXATTN_PASSES_RAISE_PLACED_READER_H

#include "passes/raise/PlacedInteger.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mixattn {

/// Reads integers and truth values, which are 0 and 1, through loops, views and
/// parts. What is not understood changes with all that it is computed from.
class PlacedReader {
public:
  PlacedIntegers integers;

  /// Indices that are the first variables; their extents are yet to be set.
  llvm::SmallVector<PlacedInteger> addIndices(unsigned count);

  /// The element of `tensor` at these indices, which lie within it.
  PlacedInteger read(mlir::Value tensor, llvm::ArrayRef<PlacedInteger> places);

  using Known = llvm::DenseMap<mlir::Value, PlacedInteger>;
  /// `value`, a scalar of the body of `op` or from around it, where the loops
  /// have these indices. `known` has what was read of this body before.
  PlacedInteger readScalar(mlir::linalg::LinalgOp op, mlir::Value value,
                           llvm::ArrayRef<PlacedInteger> loops, Known &known);
  /// The extent of a loop.
  PlacedInteger extentOf(mlir::linalg::LinalgOp op, unsigned loop);

private:
  /// The element of a view, of a part, or of parts side by side; or none.
  std::optional<PlacedInteger> readView(mlir::Operation *op,
                                        llvm::ArrayRef<PlacedInteger> places);
  PlacedInteger readPieces(mlir::tensor::InsertSliceOp last,
                           llvm::ArrayRef<PlacedInteger> places);
  PlacedInteger readLoops(mlir::linalg::LinalgOp op,
                          llvm::ArrayRef<PlacedInteger> places);
  /// The sum over loops, of which `bound` are no dims of the result.
  PlacedInteger readSum(mlir::linalg::LinalgOp op, const PlacedInteger &first,
                        llvm::ArrayRef<PlacedInteger> loops,
                        llvm::ArrayRef<unsigned> bound);
  /// How often `condition` holds along an index, or none.
  std::optional<PlacedInteger> count(mlir::linalg::LinalgOp op,
                                     mlir::arith::CmpIOp condition,
                                     llvm::ArrayRef<PlacedInteger> loops,
                                     unsigned bound, Known &known);
  PlacedInteger readOp(mlir::linalg::LinalgOp op, mlir::Operation *made,
                       llvm::ArrayRef<PlacedInteger> loops, Known &known);
  PlacedInteger compute(mlir::Operation *op,
                        llvm::ArrayRef<PlacedInteger> operands);
  PlacedInteger extend(const PlacedInteger &integer, unsigned width);

  int64_t steps = 0;
};

/// The integers of `tensor` by its dims; sizes are among what is not known.
PlacedInteger readPlaced(mlir::Value tensor);

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_PLACED_READER_H
