// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds what is normalised over a dim as a softmax is.

#ifndef MIXATTN_PASSES_RAISE_SOFTMAXES_H
#define MIXATTN_PASSES_RAISE_SOFTMAXES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mixattn {

/// A tensor of weights that add up to 1 along a dim.
struct FoundSoftmax {
  mlir::Value weights;
  /// The scores of which they are the softmax; or null where they are a
  /// quotient of powers and their sum.
  mlir::Value scores;
  unsigned axis;
  /// Why they are no softmax, though much like one; or empty.
  llvm::StringRef whyNot = {};
  /// The op that sums them up, where they are powers that are divided by their
  /// sum once they are pooled; or null.
  mlir::linalg::LinalgOp sum = {};
};

/// The softmax that `op` computes, or none.
std::optional<FoundSoftmax> findSoftmax(mlir::Operation *op);

/// The powers that `op` sums up and that are pooled along the same dim, as
/// weights that are divided later; or none.
std::optional<FoundSoftmax> findPowers(mlir::Operation *op);

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_SOFTMAXES_H
