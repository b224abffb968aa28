// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The online schedule of sm_80: one pass over the keys per block of threads.

#ifndef MIXATTN_PASSES_SCHEDULE_NVPTX_ONLINE_H
#define MIXATTN_PASSES_SCHEDULE_NVPTX_ONLINE_H

#include "dialect/attn/AttnOps.h"

namespace mixattn::nvptx {

/// Turns `kernel`, on buffers, into a kernel for GPUs called `name`, in a
/// gpu.module of that name in front of the function that `kernel` is in, and a
/// launch of it. Fails, with an error, where `kernel` is not for this schedule.
///
/// Four warps share 64 queries of one head. Each holds 16 of them, its scores
/// and its outputs in registers, and walks over blocks of keys: while one block
/// is worked on, the next is copied to shared memory. Any number of queries and
/// keys will do. Head sizes are multiples of 16, up to 256; queries, keys and
/// values are f16 or bf16, and their rows aligned to 16 bytes.
///
/// The kernel's parameters are the inputs and the outputs of `kernel`, its grid
/// is blocks of queries, heads, batch.
mlir::LogicalResult scheduleOnline(KernelOp kernel, llvm::StringRef name);

} // namespace mixattn::nvptx

#endif // MIXATTN_PASSES_SCHEDULE_NVPTX_ONLINE_H
