// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of the schedule for rows.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_ROWS_ROWS_SCHEDULE_H
#define MIXATTN_PASSES_SCHEDULE_X86_ROWS_ROWS_SCHEDULE_H

#include "passes/plan/Schedule.h"

namespace mixattn::x86 {

std::unique_ptr<Schedule> makeRows(TargetAttr target);

} // namespace mixattn::x86

#endif // MIXATTN_PASSES_SCHEDULE_X86_ROWS_ROWS_SCHEDULE_H
