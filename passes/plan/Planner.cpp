// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Candidates, the choice among them, and where it changes with an op's sizes.

#include "passes/plan/Planner.h"

#include "passes/plan/Calibration.h"

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

static constexpr std::pair<StringLiteral, int64_t ForcedPlan::*> numbers[] = {
    {"lanes", &ForcedPlan::lanes},
    {"block", &ForcedPlan::block},
    {"split", &ForcedPlan::split}};

std::optional<ForcedPlan> mixattn::parseForcedPlan(StringRef text,
                                                   std::string &error) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  std::optional<Algorithm> algorithm = symbolizeAlgorithm(parts.front());
  if (!algorithm) {
    error = llvm::formatv("expected online, panel, decode, chunked_linear, "
                          "banded or unfused as plan, but got '{0}'",
                          parts.front());
    return std::nullopt;
  }
  ForcedPlan result{*algorithm};
  for (StringRef part : llvm::drop_begin(parts)) {
    auto [name, digits] = part.split('=');
    const auto *found = llvm::find_if(numbers, [name = name](const auto &each) {
      return each.first == name;
    });
    int64_t number;
    if (found == std::end(numbers) || digits.getAsInteger(10, number) ||
        number <= 0 || result.*found->second != 0) {
      error = llvm::formatv("expected lanes=L, block=K or split=K once each "
                            "behind a plan's algorithm, but got '{0}'",
                            part);
      return std::nullopt;
    }
    result.*found->second = number;
  }
  return result;
}

std::string mixattn::describe(const PlanCase &plan) {
  std::string text = stringifyAlgorithm(plan.algorithm).str();
  auto add = [&](StringRef name, int64_t number) {
    if (number)
      text += llvm::formatv(" {0}={1}", name, number);
  };
  add("lanes", plan.lanes);
  add("block", plan.block);
  add("split", plan.split);
  return text;
}

FunctionSizes::FunctionSizes(func::FuncOp function, const GivenSizes &given)
    : known(function, given), nominal(function, given, nominalSize) {}

Planner::Planner(Operation *op, const FunctionSizes &sizes,
                 const PlanTarget &target)
    : op(op), predictor(readWorkload(op, sizes.nominal), target.cpu,
                        target.cpu.threads),
      cpu(target.cpu), forced(target.forced) {
  std::array<OperandDim, 3> dims = getPlanDims(op);
  std::array<SizePolynomial, 3> counts;
  for (auto [dim, count, number] : llvm::zip(dims, counts, known)) {
    count = sizes.known.size(dim.value, dim.dim);
    number = count.asNumber();
  }
  isSquare = counts[1] == counts[2];
  for (Algorithm algorithm :
       {Algorithm::Online, Algorithm::Panel, Algorithm::Decode,
        Algorithm::ChunkedLinear, Algorithm::Banded, Algorithm::Unfused})
    if (!forced || forced->algorithm == algorithm)
      addCandidates(algorithm, target);
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Whether `algorithm` is for attentions of some `kind`.
static bool isFor(Algorithm algorithm, Workload::Kind kind) {
  switch (algorithm) {
  case Algorithm::Online:
  case Algorithm::Panel:
  case Algorithm::Decode:
    return kind == Workload::Kind::Softmax;
  case Algorithm::ChunkedLinear:
    return kind == Workload::Kind::Linear;
  case Algorithm::Banded:
    return kind == Workload::Kind::Pool;
  case Algorithm::Unfused:
    return true;
  }
  llvm_unreachable("all algorithms are known");
}

void Planner::addCandidates(Algorithm algorithm, const PlanTarget &target) {
  if (!isFor(algorithm, predictor.work.kind) && !forced)
    return;
  std::string whyNot;
  if (!target.isSupported(algorithm, op, whyNot)) {
    candidates.push_back({{{}, algorithm}, whyNot});
    return;
  }
  SmallVector<int64_t> lanes{0}, blocks{0}, splits{0};
  switch (algorithm) {
  case Algorithm::Online:
    lanes.clear();
    for (int64_t width = cpu.widestTile(); width >= cpu.lanes; width /= 2)
      lanes.push_back(width);
    blocks = {128, 64, 32};
    break;
  case Algorithm::Panel:
    // Strips of wider tiles, and larger blocks of all heads, leave the caches;
    // products of pairs are too few to hide anything in narrower ones.
    lanes = {predictor.hasPairs() ? cpu.widestTile() : 2 * cpu.lanes,
             cpu.lanes};
    blocks = {64, 32};
    break;
  case Algorithm::Decode:
    lanes = {cpu.lanes};
    blocks = {64};
    splits = {1024, 256};
    break;
  case Algorithm::ChunkedLinear:
    blocks = {64, 32};
    break;
  case Algorithm::Banded:
    // Loads of one piece overlap stores of the one before.
    blocks = {16};
    break;
  case Algorithm::Unfused:
    break;
  }
  auto choose = [](SmallVector<int64_t> &numbers, int64_t one) {
    // An algorithm without such a number has none to force.
    if (one && numbers != SmallVector<int64_t>{0})
      numbers = {one};
  };
  if (forced) {
    choose(lanes, forced->lanes);
    choose(blocks, forced->block);
    choose(splits, forced->split);
  }
  for (int64_t width : lanes)
    for (int64_t block : blocks)
      for (int64_t split : splits)
        candidates.push_back({{{}, algorithm, width, block, split}, ""});
}

std::string Planner::whyNotForced() const {
  if (!forced)
    return "";
  const PlanCandidate &only = candidates.front();
  if (!only.isPossible())
    return only.whyNot;
  return x86::whyNoSizes(only.plan, cpu.lanes, cpu.widestTile());
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
  const PlanCandidate *best = nullptr;
  double least = 0;
  // Each query more takes decode as much time as the first.
  bool mayDecode = forced || sizes.queries <= cpu.widestTile();
  for (const PlanCandidate &each : candidates) {
    Algorithm algorithm = each.plan.algorithm;
    if (!each.isPossible() || (algorithm == Algorithm::Decode && !mayDecode))
      continue;
    double seconds = predict(each.plan, sizes).seconds;
    // The plain path is for what has no schedule.
    bool isFallback = best && algorithm == Algorithm::Unfused;
    if (!best || (seconds < least && !isFallback)) {
      best = &each;
      least = seconds;
    }
  }
  return best->plan;
}

PlanCase Planner::chooseBut(const PlanCase &usual,
                            const PlanSizes &sizes) const {
  PlanCase best = choose(sizes);
  double gain = predict(usual, sizes).seconds - predict(best, sizes).seconds;
  bool isWorth =
      gain > std::max(calibration::worthACase * predict(best, sizes).seconds,
                      calibration::call / cpu.hertz);
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
