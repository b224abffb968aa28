// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-schedule-kernels: turns kernels into code of the target, by the cases of
// their plans.

#include "dialect/tile/TileOps.h"
#include "passes/Passes.h"
#include "passes/body/IndexMath.h"
#include "passes/plan/Schedule.h"
#include "passes/schedule/KernelChecks.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mixattn {
#define GEN_PASS_DEF_SCHEDULEKERNELSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

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

namespace {

/// Schedules the kernels of a module.
class KernelScheduler {
public:
  explicit KernelScheduler(ModuleOp module)
      : target(TargetAttr::of(module)), schedules(schedulesFor(target)) {}

  /// Whether the target's schedules compute `kernel` as it is planned; else
  /// says why not.
  LogicalResult check(KernelOp kernel) const;
  /// Replaces `kernel` by a test of its sizes for each case of its plan, and in
  /// each case by what the case's schedule emits.
  void schedule(KernelOp kernel) const;

private:
  /// The plan of what `kernel` computes; the first schedule that takes it where
  /// it has none, and no case where no schedule does.
  SmallVector<PlanCase> casesOf(KernelOp kernel) const;
  const Schedule &scheduleOf(const PlanCase &plan) const {
    return *findSchedule(schedules, plan.algorithm.getValue());
  }
  std::string whyNot(Operation *op, const PlanCase &plan) const;

  TargetAttr target;
  Schedules schedules;
};

struct ScheduleKernelsPass
    : mixattn::impl::ScheduleKernelsPassBase<ScheduleKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    KernelScheduler scheduler(getOperation());
    for (KernelOp kernel : kernels)
      if (failed(checkKernel(kernel)) || failed(scheduler.check(kernel)))
        return signalPassFailure();
    for (KernelOp kernel : kernels)
      scheduler.schedule(kernel);
  }
};

} // namespace

SmallVector<PlanCase> KernelScheduler::casesOf(KernelOp kernel) const {
  Operation *op = kernel.getComputation();
  if (PlanAttr plan = getPlan(op))
    return llvm::to_vector(plan.getCases());
  if (const Schedule *first = findFirst(op, schedules))
    return {first->makePlan(op->getContext())};
  return {};
}

std::string KernelScheduler::whyNot(Operation *op, const PlanCase &plan) const {
  std::string why = whyNotBy(plan, op, schedules);
  if (!why.empty())
    return why;
  const Schedule &schedule = scheduleOf(plan);
  return schedule.formsKernels() ? schedule.whyNotNumbers(plan)
                                 : "no kernel is computed so";
}

LogicalResult KernelScheduler::check(KernelOp kernel) const {
  Operation *op = kernel.getComputation();
  SmallVector<PlanCase> cases = casesOf(kernel);
  if (cases.empty())
    return op->emitOpError("has no schedule on ")
           << target.getChip() << whyNone(op, schedules);
  for (const PlanCase &each : cases)
    if (std::string why = whyNot(op, each); !why.empty())
      return op->emitOpError("cannot be scheduled as '")
             << each.algorithm.getValue() << "': " << why;
  return success();
}

void KernelScheduler::schedule(KernelOp kernel) const {
  SmallVector<PlanCase> cases = casesOf(kernel);
  kernel = scheduleOf(cases.back()).prepare(kernel);
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  for (const PlanCase &each : ArrayRef(cases).drop_back()) {
    auto choice = scf::IfOp::create(b, emitHolds(b, kernel, each),
                                    /*withElseRegion=*/true);
    b.setInsertionPoint(choice.thenYield());
    scheduleOf(each).emit(cast<KernelOp>(b.clone(*kernel)), each);
    kernel->moveBefore(choice.elseYield());
    b.setInsertionPoint(kernel);
  }
  scheduleOf(cases.back()).emit(kernel, cases.back());
}
