// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops kernels hold.

#include "passes/plan/Kernels.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Finds one kernel after the other.
class KernelFinder {
public:
  void add(Operation *anchor, const Schedule &schedule);
  bool isTaken(Operation *op) const { return taken.contains(op); }

  std::vector<KernelOps> kernels;

private:
  bool canFollow(Operation *op) const;
  void followOne(SmallVectorImpl<Operation *> &members,
                 const Schedule &schedule) const;
  void followAll(SmallVectorImpl<Operation *> &members,
                 const Schedule &schedule) const;

  DenseSet<Operation *> taken;
};

} // namespace

/// Whether `op` is one that kernels take after their anchor: no plan says how
/// it is computed.
bool KernelFinder::canFollow(Operation *op) const {
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  return linalg && linalg.hasPureTensorSemantics() && !canBePlanned(op) &&
         !isa<linalg::FillOp>(op) && !isTaken(op);
}

/// Adds the ops that the anchor's result goes through one after the other.
void KernelFinder::followOne(SmallVectorImpl<Operation *> &members,
                             const Schedule &schedule) const {
  Block *block = members.front()->getBlock();
  while (members.back()->getNumResults() == 1 &&
         members.back()->getResult(0).hasOneUse()) {
    OpOperand &use = *members.back()->getResult(0).use_begin();
    Operation *next = use.getOwner();
    if (next->getBlock() != block || !canFollow(next) ||
        !cast<linalg::LinalgOp>(next).isDpsInput(&use) ||
        !schedule.whyNotFused(members, next).empty())
      break;
    members.push_back(next);
  }
}

/// Adds the ops that compute from any result, up to the first reader that is
/// none of them.
void KernelFinder::followAll(SmallVectorImpl<Operation *> &members,
                             const Schedule &schedule) const {
  for (Operation *op = members.front()->getNextNode(); op;
       op = op->getNextNode()) {
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
}

void KernelFinder::add(Operation *anchor, const Schedule &schedule) {
  KernelOps kernel{&schedule, anchor, {anchor}};
  if (schedule.givesAllResults())
    followAll(kernel.members, schedule);
  else
    followOne(kernel.members, schedule);
  SmallVector<Operation *> producers = schedule.findProducers(anchor);
  kernel.members.insert(kernel.members.begin(), producers.begin(),
                        producers.end());
  taken.insert(kernel.members.begin(), kernel.members.end());
  kernels.push_back(std::move(kernel));
}

/// The schedule that makes a kernel of `op`, that of the last case of its plan,
/// or of any schedule where it has none; or null.
static const Schedule *scheduleOf(Operation *op, const Schedules &schedules) {
  PlanAttr plan = getPlan(op);
  if (!plan)
    return findFirst(op, schedules);
  const Schedule *last =
      findSchedule(schedules, plan.getCases().back().algorithm);
  return last && last->formsKernels() ? last : nullptr;
}

std::vector<KernelOps> mixattn::findKernels(Operation *root,
                                            const Schedules &schedules) {
  SmallVector<Operation *> planned, others;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (canBePlanned(op))
      planned.push_back(op);
    else if (isa<linalg::LinalgOp>(op))
      others.push_back(op);
    return isa<KernelOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  KernelFinder finder;
  for (Operation *op : planned)
    if (const Schedule *schedule = scheduleOf(op, schedules))
      finder.add(op, *schedule);
  for (Operation *op : others)
    if (!finder.isTaken(op))
      if (const Schedule *schedule = findFirst(op, schedules))
        finder.add(op, *schedule);
  return std::move(finder.kernels);
}
