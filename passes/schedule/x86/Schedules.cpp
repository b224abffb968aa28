// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// x86's part of the table of schedules, in its order.

#include "passes/schedule/x86/Schedules.h"

#include "passes/schedule/x86/attention/TileSchedules.h"
#include "passes/schedule/x86/decode/DecodeSchedule.h"
#include "passes/schedule/x86/dense/DenseSchedule.h"
#include "passes/schedule/x86/linear/LinearSchedule.h"
#include "passes/schedule/x86/pool/BandedSchedule.h"
#include "passes/schedule/x86/rows/RowsSchedule.h"
#include "passes/schedule/x86/shared/Unfused.h"
#include "passes/schedule/x86/stages/StageSchedules.h"

using namespace mixattn;

void x86::addSchedules(ScheduleTable &table) {
  for (auto make : {makeOnline, makePanel, makeDecode, makeChunkedLinear,
                    makeBanded, makeDense, makeRowsDense, makeUnfused,
                    makeRowTerm, makeProjection, makeParts, makePartFactors,
                    makePoolParts, makeMergeParts, makeLinearState,
                    makeLinearMixStates, makeLinearRead, makePanels, makeRows})
    table.add(TargetFamily::X86, make);
}
