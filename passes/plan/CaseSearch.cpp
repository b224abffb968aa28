// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Candidates on a grid of sizes, and the ranges in which another one is faster.

#include "passes/plan/CaseSearch.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mixattn;

/// The sizes of the grid. A range that reaches one of its ends is open there:
/// calls of fewer keys take little time.
static constexpr int64_t leastQueries = 1, leastKeys = 64,
                         mostOfEach = int64_t(1) << 17;

/// The part of its own time that a case must save somewhere.
static constexpr double worthACase = 0.25;

/// The ratio of predicted times up to which nothing counts as saved.
static constexpr double nearRatio = 1.1;

/// Few queries of so many keys are bound by memory, whose rate depends on the
/// machine more than on the kind of CPU or GPU: nothing is gained or lost
/// there.
static constexpr int64_t fewQueries = 64, manyKeys = 2048;

/// Calls of one query, next to those of another number of them: generation
/// makes a call for each of its tokens.
static constexpr double callsOfOneQuery = 4;

CaseSearch::CaseSearch(const Planner &planner, const PlanCase &usual)
    : planner(planner), isSquare(planner.isSquare()), cases({usual}) {
  auto sizesOf = [&](PlanSize axis, int64_t least) {
    SmallVector<int64_t> sizes;
    if (!planner.isOpen(axis))
      return SmallVector<int64_t>{planner.getSizes()[axis]};
    for (int64_t size = least; size <= mostOfEach; size *= 2)
      sizes.push_back(size);
    return sizes;
  };
  queries = sizesOf(PlanSize::Queries, leastQueries);
  keys =
      isSquare ? SmallVector<int64_t>{0} : sizesOf(PlanSize::Keys, leastKeys);
  // A kernel holds the same ops in all cases.
  auto producersOf = [&](const PlanCase &plan) {
    return planner.scheduleOf(plan).findProducers(planner.getOp());
  };
  for (const PlanCandidate &each : planner.getCandidates())
    if (each.isPossible() && each.schedule->formsKernels() &&
        producersOf(each.plan) == producersOf(usual))
      candidates.push_back(&each);
  if (!planner.scheduleOf(usual).formsKernels())
    candidates.clear();
  times.resize(candidates.size());
  for (int64_t query : queries)
    for (int64_t key : keys) {
      PlanSizes sizes = sizesAt(query, key);
      // At the usual sizes the choice is made.
      bool isUsual = sizes == planner.getSizes();
      for (auto [candidate, own] : llvm::zip(candidates, times))
        own.push_back(isUsual ? std::numeric_limits<double>::infinity()
                              : timeOf(*candidate, sizes));
      timesOfPlan.push_back(planner.predict(usual, sizes).seconds);
    }
}

PlanSizes CaseSearch::sizesAt(int64_t queries, int64_t keys) const {
  PlanSizes sizes = planner.getSizes();
  sizes.queries = queries;
  sizes.keys = isSquare ? queries : keys;
  return sizes;
}

double CaseSearch::timeOf(const PlanCandidate &candidate,
                          const PlanSizes &sizes) const {
  return planner.mayBeChosen(candidate, sizes)
             ? planner.predict(candidate.plan, sizes).seconds
             : std::numeric_limits<double>::infinity();
}

double CaseSearch::timeOfPlan(const PlanSizes &sizes) const {
  for (const PlanCase &each : llvm::reverse(cases))
    if (each.holds(sizes.batch, sizes.queries, sizes.keys))
      return planner.predict(each, sizes).seconds;
  llvm_unreachable("the usual case has no conditions");
}

double CaseSearch::callsAt(unsigned query) const {
  return queries[query] == 1 ? callsOfOneQuery : 1;
}

double CaseSearch::gainOf(unsigned candidate, const PlanSizes &sizes,
                          double before, double after) const {
  double gain = std::log(before / after);
  if (sizes.queries <= fewQueries && sizes.keys > manyKeys &&
      std::abs(gain) <= std::log1p(worthACase))
    return 0;
  bool isLittle =
      before - after <= candidates[candidate]->schedule->secondsOfCall() ||
      gain <= std::log(nearRatio);
  return isLittle ? std::min(gain, 0.0) : gain;
}

/// The rectangle of the grid with the greatest sum of gains, for the candidate
/// that has the greatest (Kadane's scan of keys, for each range of queries). It
/// has a point that is worth a case. Of several the first case takes the
/// largest: others leave what they do not gain to it.
std::optional<CaseSearch::Rectangle> CaseSearch::findRectangle() const {
  std::optional<Rectangle> best;
  auto most = std::make_pair(0.0, 0u);
  bool isFirst = cases.size() == 1;
  for (unsigned candidate = 0; candidate < candidates.size(); ++candidate)
    for (unsigned begin = 0; begin < queries.size(); ++begin) {
      std::vector<double> sums(keys.size(), 0);
      std::vector<bool> areWorth(keys.size(), false);
      for (unsigned end = begin; end < queries.size(); ++end) {
        double sum = 0;
        unsigned first = 0;
        bool isWorth = false;
        for (unsigned key = 0; key < keys.size(); ++key) {
          unsigned point = pointOf(end, key);
          double gain = gainOf(candidate, sizesAt(queries[end], keys[key]),
                               timesOfPlan[point], times[candidate][point]);
          sums[key] += gain * callsAt(end);
          areWorth[key] = areWorth[key] || gain > std::log1p(worthACase);
          if (sum < 0) {
            sum = 0;
            first = key;
            isWorth = false;
          }
          sum += sums[key];
          isWorth |= areWorth[key];
          unsigned size = (end + 1 - begin) * (key + 1 - first);
          auto found = std::make_pair(sum, isFirst ? size : 0u);
          if (isWorth && found > most) {
            most = found;
            best = {candidate, {begin, end + 1}, {first, key + 1}};
          }
        }
      }
    }
  return best;
}

/// The candidate that is the fastest at more points of `found` than another,
/// rather than that of the greatest gain: what it loses elsewhere, a later case
/// mends. It gains something itself.
unsigned CaseSearch::findFastest(const Rectangle &found) const {
  std::vector<double> wins(candidates.size(), 0), gains = wins;
  for (unsigned query = found.queries.begin; query < found.queries.end; ++query)
    for (unsigned key = found.keys.begin; key < found.keys.end; ++key) {
      unsigned point = pointOf(query, key);
      double least = std::numeric_limits<double>::infinity();
      for (const std::vector<double> &own : times)
        least = std::min(least, own[point]);
      for (unsigned each = 0; each < candidates.size(); ++each) {
        double own = times[each][point];
        gains[each] += gainOf(each, sizesAt(queries[query], keys[key]),
                              timesOfPlan[point], own) *
                       callsAt(query);
        if (own <= least)
          wins[each] += callsAt(query);
      }
    }
  unsigned best = found.candidate;
  for (unsigned each = 0; each < candidates.size(); ++each)
    if (gains[each] > 0 && wins[each] > wins[best])
      best = each;
  return best;
}

/// The sizes along `axis` that `found` is for: on both sides the choice changes
/// somewhere between two sizes of the grid, where gains along the other axis
/// add up to nothing.
SizeRange CaseSearch::refine(const Rectangle &found, PlanSize axis) const {
  bool isQueries = axis == PlanSize::Queries;
  ArrayRef<int64_t> own = isQueries ? queries : keys,
                    others = isQueries ? keys : queries;
  Span span = isQueries ? found.queries : found.keys,
       otherSpan = isQueries ? found.keys : found.queries;
  others = others.slice(otherSpan.begin, otherSpan.end - otherSpan.begin);
  auto gains = [&](int64_t size) {
    double sum = 0;
    for (int64_t other : others) {
      PlanSizes at = isQueries ? sizesAt(size, other) : sizesAt(other, size);
      sum += gainOf(found.candidate, at, timeOfPlan(at),
                    timeOf(*candidates[found.candidate], at));
    }
    return sum;
  };
  // The last size from `inside` on, before `outside`, that is worth it.
  auto findLast = [&](int64_t inside, int64_t outside) {
    while (std::abs(outside - inside) > 1) {
      int64_t middle = inside + (outside - inside) / 2;
      (gains(middle) > 0 ? inside : outside) = middle;
    }
    return inside;
  };
  SizeRange range;
  if (span.begin > 0)
    range.above = findLast(own[span.begin], own[span.begin - 1]) - 1;
  if (span.end < own.size())
    range.atMost = findLast(own[span.end - 1], own[span.end]);
  return range;
}

std::optional<PlanCase> CaseSearch::findCase() {
  while (std::optional<Rectangle> found = findRectangle()) {
    found->candidate = findFastest(*found);
    PlanCase result = candidates[found->candidate]->plan;
    bool isWide = true;
    for (PlanSize axis : {PlanSize::Queries, PlanSize::Keys})
      if (planner.isOpen(axis) && !(isSquare && axis == PlanSize::Keys)) {
        SizeRange range = refine(*found, axis);
        result.when[unsigned(axis)] = range;
        isWide &= range.above < 0 || range.atMost == SizeRange::unbounded ||
                  range.atMost - range.above > range.atMost / 4;
      }
    if (!isWide) {
      // Where tiles end, times jump: what is faster there alone is passed over.
      for (unsigned query = found->queries.begin; query < found->queries.end;
           ++query)
        for (unsigned key = found->keys.begin; key < found->keys.end; ++key)
          for (std::vector<double> &own : times)
            own[pointOf(query, key)] = std::numeric_limits<double>::infinity();
      continue;
    }
    cases.push_back(result);
    for (auto [point, time] : llvm::enumerate(timesOfPlan))
      time = timeOfPlan(
          sizesAt(queries[point / keys.size()], keys[point % keys.size()]));
    return result;
  }
  return std::nullopt;
}
