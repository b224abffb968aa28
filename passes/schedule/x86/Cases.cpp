// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels by the cases of their plans.

#include "passes/schedule/x86/Cases.h"

#include "passes/plan/Workload.h"
#include "passes/schedule/IndexMath.h"
#include "passes/schedule/x86/Schedules.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

/// Emits whether the sizes of `kernel` are those of `plan`.
static Value emitHolds(ImplicitLocOpBuilder &b, KernelOp kernel,
                       const PlanCase &plan) {
  IndexMath at(b);
  Value holds;
  auto require = [&](arith::CmpIPredicate predicate, Value size,
                     int64_t bound) {
    Value next = at.compare(predicate, size, bound);
    holds = holds ? arith::AndIOp::create(b, holds, next) : next;
  };
  std::array<OperandDim, 3> dims = getPlanDims(kernel.getComputation());
  for (auto [range, dim] : llvm::zip(plan.when, dims)) {
    if (range.isEverything())
      continue;
    Value size =
        b.createOrFold<memref::DimOp>(kernel.getOperandOf(dim.value), dim.dim);
    if (range.above >= 0)
      require(arith::CmpIPredicate::sgt, size, range.above);
    if (range.atMost != SizeRange::unbounded)
      require(arith::CmpIPredicate::sle, size, range.atMost);
  }
  return holds;
}

/// As many sums stay in registers, however wide a tile is.
static TileSizes sizesOf(const PlanCase &plan, TileSizes sizes) {
  if (plan.lanes)
    sizes = sizes.withWidth(plan.lanes);
  // A plan that is written by hand may say anything.
  constexpr int64_t step = 16;
  if (plan.block)
    sizes.block = llvm::alignTo(plan.block, step);
  return sizes;
}

static void scheduleCase(KernelOp kernel, const PlanCase &plan,
                         const TileSizes &usual) {
  TileSizes sizes = sizesOf(plan, usual);
  if (plan.algorithm == Algorithm::ChunkedLinear)
    return scheduleLinear(kernel, sizes);
  if (plan.algorithm == Algorithm::Banded)
    return scheduleBanded(kernel, sizes);
  if (plan.algorithm == Algorithm::Decode)
    return scheduleDecode(kernel, sizes, plan.split);
  kernel = scheduleTerms(kernel, sizes);
  if (plan.algorithm == Algorithm::Panel)
    return schedulePanel(kernel, sizes);
  assert(plan.algorithm == Algorithm::Online && "planned as it is supported");
  scheduleOnline(kernel, sizes);
}

void mixattn::schedulePlan(KernelOp kernel, const TileSizes &usual) {
  kernel = scheduleProjections(kernel, usual);
  PlanAttr plan = getPlan(kernel.getComputation());
  if (!plan) {
    auto op = cast<AttentionOpInterface>(kernel.getComputation());
    return scheduleCase(
        kernel, {{}, op.hasPostmix() ? Algorithm::Panel : Algorithm::Online},
        usual);
  }
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  for (const PlanCase &each : plan.getCases().drop_back()) {
    auto choice = scf::IfOp::create(b, emitHolds(b, kernel, each),
                                    /*withElseRegion=*/true);
    b.setInsertionPoint(choice.thenYield());
    scheduleCase(cast<KernelOp>(b.clone(*kernel)), each, usual);
    kernel->moveBefore(choice.elseYield());
    b.setInsertionPoint(kernel);
  }
  scheduleCase(kernel, plan.getCases().back(), usual);
}
