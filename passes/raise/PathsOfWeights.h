// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops before weights and after them, one by one.

#ifndef MIXATTN_PASSES_RAISE_PATHS_OF_WEIGHTS_H
#define MIXATTN_PASSES_RAISE_PATHS_OF_WEIGHTS_H

#include "passes/raise/Softmaxes.h"

namespace mixattn {

/// The tensors that `op` is computed from elementwise, the nearest first, what
/// sums or searches among them.
llvm::SetVector<mlir::Value> elementwiseBefore(mlir::Operation *op);
/// Whether `op` adds up what one tensor holds.
bool isSum(mlir::linalg::LinalgOp op);
/// The sums of that kind that `op` is computed from elementwise.
llvm::SmallVector<mlir::linalg::LinalgOp> sumsBefore(mlir::Operation *op);
/// Whether exponentials are among what `sum` adds up.
bool sumsExponentials(mlir::linalg::LinalgOp sum);

/// Whether `value` is computed from a product of two tensors.
bool isOfProduct(mlir::Value value);
/// Whether what the function returns depends on `op`.
bool isRead(mlir::Operation *op);

/// An op that multiplies weights by another tensor and sums them up along
/// their keys.
struct Pool {
  mlir::linalg::LinalgOp op;
  /// Whether weights have a dim that the other tensor has not: that of queries.
  bool hasQueries;
};

/// The pools of `weights`, whose dim `axis` is that of keys.
llvm::SmallVector<Pool> findPools(mlir::Value weights, unsigned axis);
/// Whether the softmax stands between a product of queries and keys and one
/// with values, by the dims that they have. One that chooses experts of a layer
/// does not: a row of weights is multiplied by values of its own, and its keys
/// are units of a layer, the same for all rows.
bool isBetweenProducts(const FoundSoftmax &softmax);
/// The sums that `weights` come to, the nearest first.
llvm::SmallVector<mlir::linalg::LinalgOp> sumsAfter(mlir::Value weights);
/// The ops that pool powers or divide the pools by the sum of powers, where
/// both are there; the nearest first.
llvm::SmallVector<mlir::linalg::LinalgOp>
quotientsAfter(const FoundSoftmax &powers);

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_PATHS_OF_WEIGHTS_H
