// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Candidates, the choice among them, and where it changes with an op's sizes.

#include "passes/plan/Planner.h"

#include "dialect/attn/Contraction.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;

/// Sizes that plans are compared at where an op leaves them open, and that
/// stand for all open dims where work is counted.
static constexpr PlanSizes usualSizes = {1, 2048, 2048};
static constexpr int64_t nominalSize = 2048;

/// The largest size that conditions are sought for.
static constexpr int64_t largestSize = int64_t(1) << 20;

static constexpr size_t mostCases = 3;

/// The part of the time of its sizes that a case of its own must save. It must
/// not save less than a call takes.
static constexpr double worthACase = 0.25;

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
  isSquare = counts[1] == counts[2];
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
  for (PlanSize each : {PlanSize::Batch, PlanSize::Queries, PlanSize::Keys})
    if (std::optional<int64_t> number = known[unsigned(each)])
      sizes[each] = *number;
  return sizes;
}

PlanCase Planner::choose(const PlanSizes &sizes) const {
  // The plain path is for what has no schedule, and a schedule that is not to
  // be chosen here for what has no other.
  auto rank = [&](const PlanCandidate &each) {
    return each.schedule->formsKernels() &&
           (isForced || each.schedule->mayBeChosenAt(sizes));
  };
  const PlanCandidate *best = nullptr;
  double least = 0;
  for (const PlanCandidate &each : candidates) {
    if (!each.isPossible())
      continue;
    double seconds = predict(each.plan, sizes).seconds;
    bool isBetter =
        !best || (rank(each) != rank(*best) ? rank(each) : seconds < least);
    if (isBetter) {
      best = &each;
      least = seconds;
    }
  }
  assert(best && "asked for a plan where there is one");
  return best->plan;
}

PlanCase Planner::chooseBut(const PlanCase &usual,
                            const PlanSizes &sizes) const {
  PlanCase best = choose(sizes);
  // A kernel holds the same ops in all cases.
  if (scheduleOf(best).findProducers(op) != scheduleOf(usual).findProducers(op))
    return usual;
  double gain = predict(usual, sizes).seconds - predict(best, sizes).seconds;
  bool isWorth = gain > std::max(worthACase * predict(best, sizes).seconds,
                                 scheduleOf(best).secondsOfCall());
  return isWorth ? best : usual;
}

/// Adds a case for each other candidate that is worth it at smaller (`isDown`)
/// or larger sizes along `axis` than those at which `usual` was chosen.
void Planner::addCases(PlanSize axis, bool isDown, const PlanCase &usual,
                       SmallVectorImpl<WeighedCase> &cases) const {
  auto sizesAt = [&](int64_t size) {
    PlanSizes sizes = getSizes();
    sizes[axis] = size;
    if (isSquare)
      sizes.queries = sizes.keys = size;
    return sizes;
  };
  PlanCase current = usual;
  int64_t size = getSizes()[axis];
  while (isDown ? size > 1 : size < largestSize) {
    int64_t before = size;
    size = isDown ? size / 2 : 2 * size;
    PlanCase other = chooseBut(current, sizesAt(size));
    if (other == current)
      continue;
    // Where between the two the choice changes.
    int64_t there = size;
    while (std::abs(before - there) > 1) {
      int64_t middle = before + (there - before) / 2;
      bool isBefore = chooseBut(current, sizesAt(middle)) == current;
      (isBefore ? before : there) = middle;
    }
    SizeRange &range = other.when[unsigned(axis)];
    (isDown ? range.atMost : range.above) = isDown ? there : before;
    double gain = predict(usual, sizesAt(size)).seconds /
                  predict(other, sizesAt(size)).seconds;
    cases.push_back({other, gain});
    current = other;
    current.when = {};
  }
}

SmallVector<PlanCase> Planner::makePlan() const {
  PlanCase usual = choose(getSizes());
  SmallVector<WeighedCase> cases;
  for (PlanSize axis : {PlanSize::Keys, PlanSize::Queries})
    for (bool isDown : {false, true})
      if (isOpen(axis) && !(isSquare && axis == PlanSize::Keys))
        addCases(axis, isDown, usual, cases);
  while (cases.size() >= mostCases)
    cases.erase(llvm::min_element(
        cases, [](auto &a, auto &b) { return a.gain < b.gain; }));
  // The farthest from the usual sizes come first: later ones hold there, too.
  SmallVector<PlanCase> plan;
  for (const WeighedCase &each : llvm::reverse(cases))
    plan.push_back(each.plan);
  plan.push_back(usual);
  return plan;
}
