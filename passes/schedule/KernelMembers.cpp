// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops a kernel holds.

#include "passes/schedule/KernelMembers.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mixattn;

/// Whether `op`, a `linalg` op, computes with `use`.
static bool computesWith(Operation *op, OpOperand &use) {
  auto linalg = cast<linalg::LinalgOp>(op);
  return linalg.isDpsInput(&use) && linalg.payloadUsesValueFromOperand(&use);
}

/// Whether `op` is one that kernels take after their anchor: no plan says how
/// it is computed.
static bool canFollow(Operation *op) {
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  return linalg && linalg.hasPureTensorSemantics() && !canBePlanned(op) &&
         !isa<linalg::FillOp>(op);
}

/// The ops that the result of `anchor` goes through one after the other.
static SmallVector<Operation *> followOne(Operation *anchor,
                                          const Schedule &schedule) {
  SmallVector<Operation *> members = {anchor};
  while (members.back()->getNumResults() == 1 &&
         members.back()->getResult(0).hasOneUse()) {
    OpOperand &use = *members.back()->getResult(0).use_begin();
    Operation *next = use.getOwner();
    if (next->getBlock() != anchor->getBlock() || !canFollow(next) ||
        !computesWith(next, use) ||
        !schedule.whyNotFused(members, next).empty())
      break;
    members.push_back(next);
  }
  return members;
}

/// The ops that compute from any result, up to the first reader that is none
/// of them.
static SmallVector<Operation *> followAll(Operation *anchor,
                                          const Schedule &schedule) {
  SmallVector<Operation *> members = {anchor};
  for (Operation *op = anchor->getNextNode(); op; op = op->getNextNode()) {
    llvm::SetVector<Value> read(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), read);
    auto isTheirs = [&](Value value) {
      return value.getDefiningOp() &&
             llvm::is_contained(members, value.getDefiningOp());
    };
    if (llvm::none_of(read, isTheirs))
      continue;
    if (!canFollow(op) || !schedule.whyNotFused(members, op).empty())
      break;
    members.push_back(op);
  }
  return members;
}

SmallVector<Operation *> mixattn::findMembers(Operation *anchor,
                                              const Schedule &schedule) {
  return schedule.givesAllResults() ? followAll(anchor, schedule)
                                    : followOne(anchor, schedule);
}
