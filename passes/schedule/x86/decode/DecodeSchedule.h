// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of decode.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_DECODE_DECODE_SCHEDULE_H
#define MIXATTN_PASSES_SCHEDULE_X86_DECODE_DECODE_SCHEDULE_H

#include "passes/plan/Schedule.h"

namespace mixattn::x86 {

std::unique_ptr<Schedule> makeDecode(TargetAttr target);
std::unique_ptr<Schedule> makeParts(TargetAttr target);
std::unique_ptr<Schedule> makePartFactors(TargetAttr target);
std::unique_ptr<Schedule> makePoolParts(TargetAttr target);
std::unique_ptr<Schedule> makeMergeParts(TargetAttr target);

} // namespace mixattn::x86

#endif // MIXATTN_PASSES_SCHEDULE_X86_DECODE_DECODE_SCHEDULE_H
