// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terms of queries and keys, as kernels.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_STAGES_TERMS_H
#define MIXATTN_PASSES_SCHEDULE_X86_STAGES_TERMS_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/x86/shared/TileSizes.h"

namespace mixattn {

/// Replaces a kernel of `attn.row_term`.
void scheduleRowTerm(KernelOp kernel, const TileSizes &sizes);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_STAGES_TERMS_H
