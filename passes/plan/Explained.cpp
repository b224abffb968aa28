// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops and kernels with the predictions that reports print.

#include "passes/plan/Explained.h"

#include "dialect/attn/Contraction.h"
#include "passes/plan/Kernels.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;

std::array<StringRef, 3> mixattn::sizeNamesOf(Operation *op) {
  if (findContraction(op))
    return {"columns", "rows", "depth"};
  return {"batch", "queries", "keys"};
}

std::string mixattn::compareTimes(double seconds, double least) {
  double ratio = seconds / least;
  if (ratio >= 2)
    return llvm::formatv("takes {0:F1} times as long", ratio);
  if (ratio >= 1)
    return llvm::formatv("{0:F1} % slower", 100 * (ratio - 1));
  return llvm::formatv("{0:F1} % faster, without a case of its own",
                       100 * (1 - ratio));
}

Explained::Explained(Operation *op, const FunctionSizes &sizes,
                     const PlanTarget &target)
    : op(op), planner(op, sizes, target), plan(getPlan(op)),
      sizes(planner.getSizes()) {
  // The plan is that of all sizes: the case of these ones is what is taken.
  for (const PlanCase &each : llvm::reverse(plan.getCases()))
    if (each.holds(this->sizes.batch, this->sizes.queries, this->sizes.keys))
      chosen = each;
  chosen.when = {};
  seconds = planner.predict(chosen, this->sizes).seconds;
}

std::string Explained::judge(const PlanCandidate &candidate) const {
  if (!candidate.isPossible())
    return candidate.whyNot;
  if (candidate.plan == chosen)
    return "chosen";
  return compareTimes(planner.predict(candidate.plan, sizes).seconds, seconds);
}

void mixattn::forEachPlanned(func::FuncOp entry, const GivenSizes &given,
                             const PlanTarget &target,
                             function_ref<void(const Explained &)> then) {
  FunctionSizes sizes(entry, given);
  entry.walk([&](Operation *op) {
    if (canBePlanned(op) && getPlan(op))
      then(Explained(op, sizes, target));
  });
}

/// The algorithm of `kernel`, its predicted time, and its bound.
static KernelSummary summarize(const KernelOps &kernel,
                               const FunctionSizes &sizes,
                               const PlanTarget &target) {
  Operation *op = kernel.anchor;
  KernelSummary summary{
      kernel.schedule->name.str(), op, kernel.members.size(), 0, 0, ""};
  if (canBePlanned(op)) {
    Explained planned(op, sizes, target);
    const Schedule &schedule = planned.planner.scheduleOf(planned.chosen);
    Workload work = readWorkload(op, sizes.nominal);
    // Ops before it that are in other kernels have their own time.
    if (SmallVector<Operation *> producers = schedule.findProducers(op);
        !producers.empty())
      work.before = countRows(op, producers, sizes.nominal);
    summary.algorithm = describe(planned.chosen);
    summary.seconds =
        schedule.predict(work, planned.chosen, planned.sizes).seconds;
    summary.atPeak =
        work.usefulFlops(planned.sizes) / schedule.flopsOfPeak(work);
    summary.bound = schedule.boundOf(work, planned.sizes);
    return summary;
  }
  Workload work = readRows(kernel.members, sizes.nominal);
  PlanSizes one{1, 1, 1};
  summary.seconds =
      kernel.schedule
          ->predict(work, kernel.schedule->makePlan(op->getContext()), one)
          .seconds;
  summary.bound = kernel.schedule->boundOf(work, one);
  return summary;
}

std::vector<KernelSummary> mixattn::summarizeKernels(func::FuncOp entry,
                                                     const GivenSizes &given,
                                                     const PlanTarget &target) {
  FunctionSizes sizes(entry, given);
  std::vector<KernelOps> found = findKernels(entry, target.schedules);
  DenseMap<Operation *, const KernelOps *> byAnchor;
  for (const KernelOps &each : found)
    byAnchor[each.anchor] = &each;
  // In the order of the graph.
  std::vector<KernelSummary> kernels;
  entry.walk([&](Operation *op) {
    if (const KernelOps *kernel = byAnchor.lookup(op))
      kernels.push_back(summarize(*kernel, sizes, target));
  });
  return kernels;
}
