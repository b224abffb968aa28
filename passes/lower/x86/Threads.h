// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of OpenMP's runtime.

#ifndef MIXATTN_PASSES_LOWER_X86_THREADS_H
#define MIXATTN_PASSES_LOWER_X86_THREADS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// Emits the question how many threads a parallel region may have: an i32.
mlir::Value emitMaxThreads(mlir::ImplicitLocOpBuilder &b);

/// Emits the calling thread's number among those of its parallel region, an
/// i32.
mlir::Value emitThreadNumber(mlir::ImplicitLocOpBuilder &b);

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_X86_THREADS_H
