// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of one run of a region of scalar ops.

#ifndef MIXATTN_PASSES_PLAN_BODY_COST_H
#define MIXATTN_PASSES_PLAN_BODY_COST_H

#include "passes/plan/Cost.h"

#include "mlir/IR/Region.h"

namespace mixattn {

/// Counts the floating-point arithmetic of `region` and of the regions inside,
/// every op once: integers and indices are free. Its macs are 0; its bytes are
/// those of elements that it extracts from tensors.
Cost countBody(mlir::Region &region);

/// Counts `op` alone, on scalars.
Cost countScalar(mlir::Operation *op);

/// The value added to `accumulator` where `value` is their sum, or null. Both
/// may be widened or narrowed on the way.
mlir::Value getAddend(mlir::Value value, mlir::Value accumulator);

/// Whether `value` is a product, perhaps widened or narrowed.
bool isProduct(mlir::Value value);

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_BODY_COST_H
