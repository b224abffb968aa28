// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions: sums of products of two tensors, whatever op says them.

#ifndef MIXATTN_DIALECT_ATTN_CONTRACTION_H
#define MIXATTN_DIALECT_ATTN_CONTRACTION_H

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mixattn {

/// A linalg op on tensors that sums products: `result[..] = sum left[..]
/// right[..]`. Its loops are known by which tensors they walk over:
///
///   rows     of the left operand and the result
///   lanes    of the right operand and the result, whose innermost loop is one
///   depths   of both operands: what is summed over
///   batches  of all three
///
/// Which operand is the right one follows from the result.
struct Contraction {
  using Loops = llvm::SmallVector<unsigned, 2>;

  mlir::linalg::LinalgOp op;
  mlir::Value left, right;
  mlir::AffineMap leftMap, rightMap, resultMap;
  /// Outer loops first: rows and depths as the left operand has them, lanes as
  /// the right one has them, but the result's innermost loop last. There is at
  /// least one of each but batches.
  Loops rows, lanes, depths, batches;

  mlir::Value getResult() const { return op->getResult(0); }
  /// Whether sums begin with 0: that of a tensor filled with it.
  bool beginsWithZeros() const;
  /// A dimension of an operand that has the size of `loop`.
  OperandDim dimOf(unsigned loop) const;
};

/// The position of `loop` among the results of `map`, or none.
std::optional<unsigned> findLoop(mlir::AffineMap map, unsigned loop);

/// `op` as a contraction of tensors of floats with a loop of rows and one of
/// lanes, or none. Sums in f64 are none: what makes tiles of products does not
/// take them.
std::optional<Contraction> findContraction(mlir::Operation *op);

} // namespace mixattn

#endif // MIXATTN_DIALECT_ATTN_CONTRACTION_H
