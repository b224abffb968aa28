// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of the plain path.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_UNFUSED_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_UNFUSED_H

#include "passes/plan/Schedule.h"

namespace mixattn::x86 {

std::unique_ptr<Schedule> makeUnfused(TargetAttr target);

} // namespace mixattn::x86

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_UNFUSED_H
