// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which case of a plan a call takes.

#ifndef MIXATTN_PASSES_SCHEDULE_CASECHOICE_H
#define MIXATTN_PASSES_SCHEDULE_CASECHOICE_H

#include "dialect/attn/AttnOps.h"
#include "passes/body/IndexMath.h"

namespace mixattn {

/// Emits the choice among the ways to compute a kernel. A call takes the way of
/// the first case of the plan that its sizes fit. Cases that are computed alike
/// are one way, whose code is there once.
class CaseChoice {
public:
  CaseChoice(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
             llvm::ArrayRef<PlanCase> plan);

  /// The ways, without conditions, in the order in which they are tested. The
  /// last is for calls that take no other.
  llvm::ArrayRef<PlanCase> getWays() const { return ways; }
  /// Whether a call that takes none of the ways before takes `way`.
  mlir::Value emit(unsigned way);

private:
  mlir::Value emitHolds(const PlanCase &each);

  mlir::ImplicitLocOpBuilder &b;
  KernelOp kernel;
  llvm::ArrayRef<PlanCase> plan;
  llvm::SmallVector<PlanCase> ways;
  /// For each case of the plan, its way.
  llvm::SmallVector<unsigned> wayOf;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_CASECHOICE_H
