// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Candidates, the choice among them, and where it changes with an op's sizes.

#include "passes/plan/Planner.h"

#include "dialect/attn/Contraction.h"
#include "passes/plan/CaseSearch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;

/// Sizes that plans are compared at where an op leaves them open. The other one
/// is that of a contraction's columns, and stands for all open dims where work
/// is counted.
static constexpr PlanSizes usualSizes = {1, 2048, 2048};
static constexpr int64_t nominalSize = 2048;

//===----------------------------------------------------------------------===//
// Plans that are asked for
//===----------------------------------------------------------------------===//

std::optional<ForcedPlan> mixattn::parseForcedPlan(StringRef text,
                                                   std::string &error) {
  auto [name, rest] = text.split(',');
  ForcedPlan result{name.str(), {}};
  bool isRight = !name.empty() && !text.ends_with(",");
  SmallVector<StringRef> parts;
  if (!rest.empty())
    rest.split(parts, ',');
  for (StringRef part : parts) {
    auto [key, digits] = part.split('=');
    int64_t number = 0;
    bool isNew = llvm::none_of(result.numbers, [key = key](const auto &each) {
      return each.first == key;
    });
    isRight &=
        isNew && !key.empty() && !digits.getAsInteger(10, number) && number > 0;
    result.numbers.emplace_back(key.str(), number);
  }
  if (isRight)
    return result;
  error = llvm::formatv("expected a plan 'ALGORITHM[,NUMBER=N]...', each "
                        "number once and above 0, but got '{0}'",
                        text);
  return std::nullopt;
}

std::string mixattn::whyNoPlan(const ForcedPlan &forced,
                               const Schedules &schedules) {
  SmallVector<StringRef> numbers;
  for (const auto &[name, number] : forced.numbers)
    numbers.push_back(name);
  return whyNoPlan(forced.algorithm, numbers, schedules);
}

std::string mixattn::describe(const PlanCase &plan) {
  std::string text = plan.algorithm.str();
  for (const PlanNumber &each : plan.getNumbers())
    text += llvm::formatv(" {0}={1}", each.name.getValue(), each.value);
  return text;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

FunctionSizes::FunctionSizes(func::FuncOp function, const GivenSizes &given)
    : known(function, given), nominal(function, given, nominalSize) {}

/// Whether `asked` is for a contraction next to `op`.
static bool isForContraction(const Schedule &asked, Operation *op) {
  return llvm::any_of(*op->getBlock(), [&](Operation &each) {
    return findContraction(&each) && asked.isFor(&each);
  });
}

Planner::Planner(Operation *op, const FunctionSizes &sizes,
                 const PlanTarget &target)
    : op(op), work(readWorkload(op, sizes.nominal)), target(target) {
  std::array<OperandDim, 3> dims = getPlanDims(op);
  std::array<SizePolynomial, 3> counts;
  for (auto [dim, count, number] : llvm::zip(dims, counts, known)) {
    count = sizes.known.size(dim.value, dim.dim);
    number = count.asNumber();
  }
  areAsMany = counts[1] == counts[2];
  for (const std::unique_ptr<Schedule> &each : target.schedules)
    if (SmallVector<Operation *> producers = each->findProducers(op);
        !producers.empty() && !work.before)
      work.before = countRows(op, producers, sizes.nominal);
  if (target.forced) {
    // A plan for attentions leaves contractions alone, and the other way round.
    const Schedule *asked =
        findSchedule(target.schedules, target.forced->algorithm);
    bool isAttention = work.kind != Workload::Kind::Contraction;
    isForced = asked && (asked->isFor(op) ||
                         (isAttention && !isForContraction(*asked, op)));
  }
  for (const std::unique_ptr<Schedule> &each : target.schedules)
    if (isForced ? target.forced->algorithm == each->name : each->isFor(op))
      addCandidates(*each);
  // Numbers that are forced may not go with all that a schedule proposes.
  auto fits = [](const PlanCandidate &each) {
    return each.isPossible() && each.schedule->whyNotNumbers(each.plan).empty();
  };
  if (isForced && llvm::any_of(candidates, fits))
    llvm::erase_if(candidates,
                   [&](const PlanCandidate &each) { return !fits(each); });
}

void Planner::addCandidates(const Schedule &schedule) {
  MLIRContext *context = op->getContext();
  std::string whyNot = schedule.whyNot(op);
  if (!whyNot.empty()) {
    candidates.push_back({&schedule, schedule.makePlan(context), whyNot});
    return;
  }
  for (const PlanNumbers &numbers : schedule.propose(work)) {
    PlanCase plan = schedule.makePlan(context, numbers);
    if (isForced)
      for (const auto &[name, number] : target.forced->numbers)
        plan.set(StringAttr::get(context, name), number);
    if (llvm::none_of(candidates, [&](const PlanCandidate &each) {
          return each.plan == plan;
        }))
      candidates.push_back({&schedule, plan, ""});
  }
}

std::string Planner::whyNotForced() const {
  if (!isForced)
    return "";
  const PlanCandidate &only = candidates.front();
  return only.isPossible() ? only.schedule->whyNotNumbers(only.plan)
                           : only.whyNot;
}

const Schedule &Planner::scheduleOf(const PlanCase &plan) const {
  const Schedule *found =
      findSchedule(target.schedules, plan.algorithm.getValue());
  assert(found && "plans are made from the table");
  return *found;
}

double Planner::shareOfPeak(const PlanCase &plan, double seconds,
                            const PlanSizes &sizes) const {
  return work.usefulFlops(sizes) /
         (seconds * scheduleOf(plan).flopsOfPeak(work));
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

PlanSizes Planner::getSizes() const {
  PlanSizes sizes = usualSizes;
  if (work.kind == Workload::Kind::Contraction)
    sizes.batch = nominalSize;
  for (PlanSize each : {PlanSize::Batch, PlanSize::Queries, PlanSize::Keys})
    if (std::optional<int64_t> number = known[unsigned(each)])
      sizes[each] = *number;
  return sizes;
}

bool Planner::asksForBatch() const {
  return isOpen(PlanSize::Batch) &&
         target.target.getFamily() != TargetFamily::X86 &&
         work.kind != Workload::Kind::Contraction;
}

/// The plain path is for what has no schedule, and a schedule that is not to be
/// chosen somewhere for what has no other there.
bool Planner::mayBeChosen(const PlanCandidate &candidate,
                          const PlanSizes &sizes) const {
  return candidate.schedule->formsKernels() &&
         (isForced ||
          candidate.schedule->mayBeChosenAt(work, candidate.plan, sizes));
}

PlanCase Planner::choose(const PlanSizes &sizes) const {
  const PlanCandidate *best = nullptr;
  double least = 0;
  for (const PlanCandidate &each : candidates) {
    if (!each.isPossible())
      continue;
    double seconds = predict(each.plan, sizes).seconds;
    bool isBetter =
        !best || (mayBeChosen(each, sizes) != mayBeChosen(*best, sizes)
                      ? mayBeChosen(each, sizes)
                      : seconds < least);
    if (isBetter) {
      best = &each;
      least = seconds;
    }
  }
  assert(best && "asked for a plan where there is one");
  return best->plan;
}

SmallVector<PlanCase> Planner::makePlan() const {
  PlanCase usual = choose(getSizes());
  SmallVector<PlanCase> plan{usual};
  CaseSearch search(*this, usual);
  while (plan.size() < mostPlanCases)
    if (std::optional<PlanCase> found = search.findCase())
      plan.push_back(*found);
    else
      break;
  std::reverse(plan.begin(), plan.end());
  return plan;
}
