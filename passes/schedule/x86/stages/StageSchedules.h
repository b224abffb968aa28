// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of stages that come before an attention.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_STAGES_STAGE_SCHEDULES_H
#define MIXATTN_PASSES_SCHEDULE_X86_STAGES_STAGE_SCHEDULES_H

#include "passes/plan/Schedule.h"

namespace mixattn::x86 {

std::unique_ptr<Schedule> makeRowTerm(TargetAttr target);
std::unique_ptr<Schedule> makeProjection(TargetAttr target);

} // namespace mixattn::x86

#endif // MIXATTN_PASSES_SCHEDULE_X86_STAGES_STAGE_SCHEDULES_H
