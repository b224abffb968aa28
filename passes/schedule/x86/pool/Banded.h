// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedule for pools whose weights are given: from a kernel to loops.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_POOL_BANDED_H
#define MIXATTN_PASSES_SCHEDULE_X86_POOL_BANDED_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/x86/shared/TileSizes.h"

namespace mixattn {

/// Replaces `kernel`, a pool whose weights are given, by pieces of
/// `sizes.block` rows of one head: the band or copies, the sparse error on top
/// of them, and quotients. In addition to tables of windows and errors it takes
/// a piece of memory for each thread.
void scheduleBanded(KernelOp kernel, const TileSizes &sizes);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_POOL_BANDED_H
