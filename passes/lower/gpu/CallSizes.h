// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that follow from the sizes of a call.

#ifndef MIXATTN_PASSES_LOWER_GPU_CALL_SIZES_H
#define MIXATTN_PASSES_LOWER_GPU_CALL_SIZES_H

#include "mlir/IR/Value.h"

namespace mixattn {

/// Whether `number` is the size of a dim, an index that a function is given, or
/// a product, a sum or a difference of such numbers and of known ones.
bool isCallSize(mlir::Value number);

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_GPU_CALL_SIZES_H
