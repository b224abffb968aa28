// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of dense layers: dense, rows_dense, and of panels, pack.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_SCHEDULE_H
#define MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_SCHEDULE_H

#include "passes/plan/Schedule.h"

namespace mixattn::x86 {

std::unique_ptr<Schedule> makeDense(TargetAttr target);
/// With the ops that make the rows of the left side.
std::unique_ptr<Schedule> makeRowsDense(TargetAttr target);
/// The stage that packs right sides into panels.
std::unique_ptr<Schedule> makePanels(TargetAttr target);

} // namespace mixattn::x86

#endif // MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_SCHEDULE_H
