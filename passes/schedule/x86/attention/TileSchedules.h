// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of online and panel.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_TILE_SCHEDULES_H
#define MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_TILE_SCHEDULES_H

#include "passes/plan/Schedule.h"

namespace mixattn::x86 {

std::unique_ptr<Schedule> makeOnline(TargetAttr target);
std::unique_ptr<Schedule> makePanel(TargetAttr target);

} // namespace mixattn::x86

#endif // MIXATTN_PASSES_SCHEDULE_X86_ATTENTION_TILE_SCHEDULES_H
