// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions: sums of products of two tensors, whatever op says them.

#ifndef MIXATTN_DIALECT_ATTN_CONTRACTION_H
#define MIXATTN_DIALECT_ATTN_CONTRACTION_H

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mixattn {

/// A linalg op that sums products: `result[..] = sum left[..] right[..]`. Its
/// loops are known by which tensors they walk over:
///
///   lane   the result's innermost loop, which the right operand has, too
///   row    the innermost of the result's loops that the left operand has alone
///   depth  a loop that is summed over, the left operand's innermost if it can
///
/// Others are a batch (of all three), more rows, more lanes, or more terms of
/// each sum. Which operand is the right one follows from the result.
struct Contraction {
  mlir::linalg::LinalgOp op;
  mlir::Value left, right;
  mlir::AffineMap leftMap, rightMap, resultMap;
  unsigned lane, row, depth;
  /// Loops that are summed over besides `depth`, and those that are not besides
  /// `lane` and `row`.
  llvm::SmallVector<unsigned, 2> otherDepths, others;

  mlir::Value getResult() const { return op->getResult(0); }
  /// A dimension of an operand that has the size of `loop`.
  OperandDim dimOf(unsigned loop) const;
};

/// The position of `loop` among the results of `map`, or none.
std::optional<unsigned> findLoop(mlir::AffineMap map, unsigned loop);

/// `op` as a contraction of floats with a loop of rows and one of lanes, or
/// none.
std::optional<Contraction> findContraction(mlir::Operation *op);

} // namespace mixattn

#endif // MIXATTN_DIALECT_ATTN_CONTRACTION_H
