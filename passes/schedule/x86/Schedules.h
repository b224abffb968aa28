// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// x86's part of the table of schedules.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SCHEDULES_H
#define MIXATTN_PASSES_SCHEDULE_X86_SCHEDULES_H

#include "passes/plan/Schedule.h"

namespace mixattn::x86 {

/// Adds every schedule for x86 to `table`.
void addSchedules(ScheduleTable &table);

} // namespace mixattn::x86

#endif // MIXATTN_PASSES_SCHEDULE_X86_SCHEDULES_H
