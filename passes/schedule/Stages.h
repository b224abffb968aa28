// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which stages an attention has in front of it.

#ifndef MIXATTN_PASSES_SCHEDULE_STAGES_H
#define MIXATTN_PASSES_SCHEDULE_STAGES_H

#include "passes/normalize/Projections.h"
#include "passes/plan/Schedule.h"

namespace mixattn {

/// Whether `schedule` computes `op` with terms that are made before it.
inline bool needsTerms(mlir::Operation *op, const Schedule &schedule) {
  auto generic = llvm::dyn_cast<GenericOp>(op);
  return generic && (generic.getGaussian() ? !schedule.takesGaussians()
                                           : bool(generic.getShifts()));
}

/// Whether `schedule` computes `op` in stages, or with terms, keys or values
/// that are made before it.
inline bool needsStages(mlir::Operation *op, const Schedule &schedule) {
  auto generic = llvm::dyn_cast<GenericOp>(op);
  return (generic && hasProjections(generic)) || needsTerms(op, schedule) ||
         schedule.hasStages(op);
}

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_STAGES_H
