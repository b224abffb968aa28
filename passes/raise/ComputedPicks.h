// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of a table at computed places, such as biases by buckets of
// distances.

#ifndef MIXATTN_PASSES_RAISE_COMPUTED_PICKS_H
#define MIXATTN_PASSES_RAISE_COMPUTED_PICKS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mixattn {

/// A tensor with a dim for each of some loops.
struct Picked {
  mlir::Value tensor;
  llvm::SmallVector<unsigned> loops;
};

/// Makes a tensor, in front of `op`, of the elements that `pick` in its body
/// reads. None where `op` reduces, or where a place follows from floats that
/// `op` itself reads.
std::optional<Picked> pickOutside(mlir::linalg::LinalgOp op,
                                  mlir::tensor::ExtractOp pick);

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_COMPUTED_PICKS_H
