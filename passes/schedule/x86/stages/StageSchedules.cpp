// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of stages that come before an attention.

#include "passes/schedule/x86/stages/StageSchedules.h"

#include "passes/schedule/x86/shared/StageSchedule.h"
#include "passes/schedule/x86/stages/Projections.h"
#include "passes/schedule/x86/stages/Terms.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::x86;

std::unique_ptr<Schedule> x86::makeRowTerm(TargetAttr target) {
  return std::make_unique<StageSchedule<RowTermOp>>(
      describeCpu(target), llvm::StringLiteral("row_term"),
      llvm::StringLiteral(
          "squares and products of rows, a block of rows at a time"),
      scheduleRowTerm);
}

std::unique_ptr<Schedule> x86::makeProjection(TargetAttr target) {
  return std::make_unique<StageSchedule<ProjectOp>>(
      describeCpu(target), llvm::StringLiteral("project"),
      llvm::StringLiteral(
          "rows of a projection side by side, over the whole sequence"),
      scheduleProjection);
}
