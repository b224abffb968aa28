// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The online schedule: one pass over the keys per tile of queries.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_ONLINE_H
#define MIXATTN_PASSES_SCHEDULE_X86_ONLINE_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/x86/TileSizes.h"

namespace mixattn {

/// Emits loops for `kernel`, an attention without a mixer of weights, in front
/// of it: threads share tiles of queries; a tile walks over blocks of keys.
///
/// Powers of 2 are taken of exponents less a reference of their query: an
/// exponent of some earlier key, which moves up only when a new one exceeds it
/// by far. What was summed up is then scaled down, so that any reference gives
/// the same quotient, and nothing overflows. The body of a few keys runs while
/// the products of the next few are summed.
void scheduleOnline(KernelOp kernel, const TileSizes &sizes);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_ONLINE_H
