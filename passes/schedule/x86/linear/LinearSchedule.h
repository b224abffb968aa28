// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of linear attention: chunked_linear, and its stages.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_LINEAR_LINEAR_SCHEDULE_H
#define MIXATTN_PASSES_SCHEDULE_X86_LINEAR_LINEAR_SCHEDULE_H

#include "passes/plan/Schedule.h"

namespace mixattn::x86 {

std::unique_ptr<Schedule> makeChunkedLinear(TargetAttr target);
std::unique_ptr<Schedule> makeLinearState(TargetAttr target);
std::unique_ptr<Schedule> makeLinearMixStates(TargetAttr target);
std::unique_ptr<Schedule> makeLinearRead(TargetAttr target);

} // namespace mixattn::x86

#endif // MIXATTN_PASSES_SCHEDULE_X86_LINEAR_LINEAR_SCHEDULE_H
