// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes as expressions of the sizes of a function's arguments.

#ifndef MIXATTN_PASSES_ENTRY_SIZE_EXPRESSION_H
#define MIXATTN_PASSES_ENTRY_SIZE_EXPRESSION_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/JSON.h"

namespace mixattn {

/// Whether `size`, an index or a condition in a function, depends on nothing
/// but sizes of the function's arguments, constants and the number of threads,
/// by operations that describeSize has words for.
bool isSizeOfArguments(mlir::Value size);

/// Emits the computation of `size` where `b` stands, with `sizeOf` for the
/// sizes of the arguments; null where it gives null for one.
mlir::Value cloneSize(
    mlir::ImplicitLocOpBuilder &b, mlir::Value size,
    llvm::function_ref<mlir::Value(mlir::BlockArgument, int64_t dim)> sizeOf);

/// Whether two sizes in one function, both of its arguments, are computed
/// alike.
bool isSameSize(mlir::Value x, mlir::Value y);

/// Emits an upper bound of `size` as f64, which does not wrap where `size`
/// does.
mlir::Value emitBound(mlir::ImplicitLocOpBuilder &b, mlir::Value size);

/// A condition that an op runs under: that of an scf.if around it.
struct RunCondition {
  mlir::Value holds;
  /// Whether the op runs where the condition does not hold.
  bool isElse;
};

/// The conditions that `op` runs under in its function, innermost first.
llvm::SmallVector<RunCondition> getRunConditions(mlir::Operation *op);

/// `size` in an entry as manifests have it: `workspace` in
/// lib/Runtime/manifest.md. Sizes without a name are null.
llvm::json::Value describeSize(mlir::Value size);

} // namespace mixattn

#endif // MIXATTN_PASSES_ENTRY_SIZE_EXPRESSION_H
