// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the table of schedules that all families of GPUs share.

#include "passes/schedule/gpu/Schedules.h"
#include "passes/schedule/gpu/Rows.h"

using namespace mixattn;

void gpus::addSchedules(ScheduleTable &table, TargetFamily family) {
  for (auto make :
       {makeBanded, makeRowTerm, makeRowFactors, makeRows, makeUnfused})
    table.add(family, make);
}
