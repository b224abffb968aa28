// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks kernels before they are scheduled.

#include "passes/schedule/KernelChecks.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mixattn;

static LogicalResult checkBuffers(KernelOp kernel) {
  for (Type type : kernel->getOperandTypes()) {
    if (isa<TensorType>(type))
      return kernel.emitOpError("expected buffers, as attn-bufferize makes "
                                "them, but got ")
             << type;
    auto buffer = dyn_cast<MemRefType>(type);
    if (!buffer || buffer.getRank() == 0)
      continue;
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(buffer.getStridesAndOffset(strides, offset)) ||
        strides.back() != 1)
      return kernel.emitOpError("expected buffers with an innermost stride of "
                                "1, but got ")
             << type;
  }
  return success();
}

static LogicalResult checkOperands(KernelOp kernel) {
  if (!kernel->getParentOfType<FunctionOpInterface>())
    return kernel.emitOpError("expected to be in a function");
  if (failed(checkBuffers(kernel)))
    return failure();
  Operation *op = kernel.getAnchor();
  auto style = dyn_cast<DestinationStyleOpInterface>(op);
  llvm::SetVector<Value> used;
  SmallVector<Operation *> producers = kernel.getProducers();
  for (OpOperand &operand : op->getOpOperands()) {
    if (llvm::is_contained(producers, operand.get().getDefiningOp()))
      continue;
    // The tensor that a contraction adds to is made in the region.
    if (!style || !style.isDpsInit(&operand) ||
        !isa_and_present<linalg::FillOp, tensor::EmptyOp>(
            operand.get().getDefiningOp()))
      used.insert(operand.get());
  }
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (Value value : used) {
    Operation *made = value.getDefiningOp();
    if (made && (isa<TensorType>(value.getType()) || made->getNumOperands()))
      return kernel.emitOpError("expected what it computes to take arguments "
                                "of its region, but got the result of '")
             << made->getName() << "'";
  }
  return success();
}

SmallVector<PlanCase> mixattn::casesOf(KernelOp kernel,
                                       const Schedules &schedules) {
  Operation *op = kernel.getAnchor();
  if (PlanAttr plan = getPlan(op))
    return llvm::to_vector(plan.getCases());
  if (const Schedule *first = findFirst(op, schedules))
    return {first->makePlan(op->getContext())};
  return {};
}

static std::string whyNot(Operation *op, const PlanCase &plan,
                          const Schedules &schedules) {
  std::string why = whyNotBy(plan, op, schedules);
  if (!why.empty())
    return why;
  const Schedule *schedule = findSchedule(schedules, plan.algorithm.getValue());
  return schedule->formsKernels() ? schedule->whyNotNumbers(plan)
                                  : "no kernel is computed so";
}

LogicalResult mixattn::checkKernel(KernelOp kernel,
                                   const Schedules &schedules) {
  if (failed(checkOperands(kernel)))
    return failure();
  Operation *op = kernel.getAnchor();
  SmallVector<PlanCase> cases = casesOf(kernel, schedules);
  if (cases.empty())
    return op->emitOpError("has no schedule on ")
           << TargetAttr::of(kernel->getParentOfType<ModuleOp>()).getChip()
           << whyNone(op, schedules);
  for (const PlanCase &each : cases)
    if (std::string why = whyNot(op, each, schedules); !why.empty())
      return op->emitOpError("cannot be scheduled as '")
             << each.algorithm.getValue() << "': " << why;
  const Schedule *schedule =
      findSchedule(schedules, cases.front().algorithm.getValue());
  SmallVector<Operation *> members = {op}, producers = kernel.getProducers();
  SmallVector<Operation *> taken = schedule->findProducers(op);
  for (Operation *producer : producers)
    if (!llvm::is_contained(taken, producer))
      return producer->emitOpError("cannot be scheduled before '")
             << op->getName() << "' as '" << schedule->name
             << "': its rows are not made there for that alone";
  for (Operation *consumer : kernel.getConsumers()) {
    if (std::string why = schedule->whyNotFused(members, consumer);
        !why.empty())
      return consumer->emitOpError("cannot be scheduled with '")
             << op->getName() << "' as '" << schedule->name << "': " << why;
    members.push_back(consumer);
  }
  return success();
}
