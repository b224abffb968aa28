// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which stages an attention has in front of it.

#ifndef MIXATTN_PASSES_SCHEDULE_STAGES_H
#define MIXATTN_PASSES_SCHEDULE_STAGES_H

#include "passes/normalize/Projections.h"
#include "passes/plan/Schedule.h"

namespace mixattn {

/// Whether `schedule` computes `op` with terms that are made before it.
inline bool needsTerms(GenericOp op, const Schedule &schedule) {
  return op.getGaussian() ? !schedule.takesGaussians() : bool(op.getShifts());
}

/// Whether `schedule` computes `op` with terms, keys or values that are made
/// before it.
inline bool needsStages(GenericOp op, const Schedule &schedule) {
  return hasProjections(op) || needsTerms(op, schedule);
}

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_STAGES_H
