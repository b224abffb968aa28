// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which attentions the schedules for x86 can compute.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SUPPORTS_H
#define MIXATTN_PASSES_SCHEDULE_X86_SUPPORTS_H

#include "dialect/attn/AttnOps.h"

#include <string>

namespace mixattn::x86 {

/// Whether there is a schedule that computes `op` by `algorithm`, whatever its
/// sizes; where not, `why` says why, to follow on a colon.
bool isSupported(Algorithm algorithm, mlir::Operation *op, std::string &why);

/// Why tiles cannot have the sizes that `plan` gives on a machine whose tiles
/// are `narrowest` to `widest` lanes wide, or nothing.
std::string whyNoSizes(const PlanCase &plan, int64_t narrowest, int64_t widest);

} // namespace mixattn::x86

#endif // MIXATTN_PASSES_SCHEDULE_X86_SUPPORTS_H
