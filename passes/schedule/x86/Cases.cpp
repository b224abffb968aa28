// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels by the cases of their plans.

#include "passes/schedule/x86/Cases.h"

#include "passes/plan/Workload.h"
#include "passes/schedule/IndexMath.h"
#include "passes/schedule/x86/Schedules.h"
#include "passes/schedule/x86/Supports.h"

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
  if (plan.block)
    sizes.block = plan.block;
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
    return scheduleDecode(kernel, sizes, plan.split ? plan.split : sizes.block);
  kernel = scheduleTerms(kernel, sizes);
  if (plan.algorithm == Algorithm::Panel)
    return schedulePanel(kernel, sizes);
  assert(plan.algorithm == Algorithm::Online && "planned as it is supported");
  scheduleOnline(kernel, sizes);
}

/// The plan of what `kernel` computes, or the usual one where it has none.
static SmallVector<PlanCase> casesOf(KernelOp kernel) {
  Operation *op = kernel.getComputation();
  if (PlanAttr plan = getPlan(op))
    return llvm::to_vector(plan.getCases());
  auto attention = dyn_cast<AttentionOpInterface>(op);
  bool mixesWeights = attention && attention.hasPostmix();
  return {{{}, mixesWeights ? Algorithm::Panel : Algorithm::Online}};
}

LogicalResult mixattn::checkPlan(KernelOp kernel, const TileSizes &usual) {
  Operation *op = kernel.getComputation();
  for (const PlanCase &each : casesOf(kernel)) {
    std::string why;
    if (each.algorithm == Algorithm::Unfused)
      why = "no kernel is computed so";
    else if (x86::isSupported(each.algorithm, op, why))
      why = x86::whyNoSizes(each, usual.lanes, usual.width);
    if (!why.empty())
      return op->emitOpError("cannot be scheduled as '")
             << stringifyAlgorithm(each.algorithm) << "': " << why;
  }
  return success();
}

void mixattn::schedulePlan(KernelOp kernel, const TileSizes &usual) {
  kernel = scheduleProjections(kernel, usual);
  SmallVector<PlanCase> cases = casesOf(kernel);
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  for (const PlanCase &each : ArrayRef(cases).drop_back()) {
    auto choice = scf::IfOp::create(b, emitHolds(b, kernel, each),
                                    /*withElseRegion=*/true);
    b.setInsertionPoint(choice.thenYield());
    scheduleCase(cast<KernelOp>(b.clone(*kernel)), each, usual);
    kernel->moveBefore(choice.elseYield());
    b.setInsertionPoint(kernel);
  }
  scheduleCase(kernel, cases.back(), usual);
}
