// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items of work shared by threads, each thread with scratch memory.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_THREADS_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_THREADS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// Emits a loop over items 0 to `count` - 1 that OpenMP's threads share, each
/// taking the next item when it has done one. `body` emits one item, given its
/// number and the calling thread's scratch memory, `bytes` bytes from an
/// address that 64 divides, as `memref<?xi8>`. All scratch is one allocation in
/// front of the loop, where a failure can be reported. Where `isLarge`, an i1,
/// does not hold, one thread does all. There are as many threads as
/// omp_get_max_threads says, of whichever OpenMP runtime the process takes that
/// from.
void emitThreads(mlir::ImplicitLocOpBuilder &b, mlir::Value count,
                 mlir::Value isLarge, mlir::Value bytes,
                 llvm::function_ref<void(mlir::ImplicitLocOpBuilder &b,
                                         mlir::Value item, mlir::Value scratch)>
                     body);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_THREADS_H
