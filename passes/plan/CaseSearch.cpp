// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Candidates on a grid of sizes, and the ranges in which another one is faster.

#include "passes/plan/CaseSearch.h"

#include <cmath>

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

double CaseSearch::gainOf(unsigned candidate, double before,
                          double after) const {
  double gain = std::log(before / after);
  bool isLittle =
      before - after <= candidates[candidate]->schedule->secondsOfCall() ||
      gain <= std::log(nearRatio);
  return isLittle ? std::min(gain, 0.0) : gain;
}

/// The rectangle of the grid with the greatest sum of gains, for the candidate
/// that has the greatest; the largest of several. It has a point that is worth
/// a case (Kadane's scan of keys, for each range of queries).
std::optional<CaseSearch::Rectangle> CaseSearch::findRectangle() const {
  std::optional<Rectangle> best;
  auto most = std::make_pair(0.0, 0u);
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
          double gain =
              gainOf(candidate, timesOfPlan[point], times[candidate][point]);
          sums[key] += gain * callsAt(end);
          areWorth[key] = areWorth[key] || gain > std::log1p(worthACase);
          if (sum < 0) {
            sum = 0;
            first = key;
            isWorth = false;
          }
          sum += sums[key];
          isWorth |= areWorth[key];
          auto found =
              std::make_pair(sum, (end + 1 - begin) * (key + 1 - first));
          if (isWorth && found > most) {
            most = found;
            best = {candidate, {begin, end + 1}, {first, key + 1}};
          }
        }
      }
    }
  return best;
}

/// The candidate that is the fastest at most points of `found`, rather than
/// that of the greatest gain: what it loses at the others, a later case mends.
unsigned CaseSearch::findFastest(const Rectangle &found) const {
  std::vector<double> wins(candidates.size(), 0);
  for (unsigned query = found.queries.begin; query < found.queries.end; ++query)
    for (unsigned key = found.keys.begin; key < found.keys.end; ++key) {
      unsigned point = pointOf(query, key);
      double least = std::numeric_limits<double>::infinity();
      for (const std::vector<double> &own : times)
        least = std::min(least, own[point]);
      for (auto [own, number] : llvm::zip(times, wins))
        number += std::isinf(own[point]) ? -own[point]
                  : own[point] <= least  ? callsAt(query)
                                         : 0;
    }
  return unsigned(llvm::max_element(wins) - wins.begin());
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
      sum += gainOf(found.candidate, timeOfPlan(at),
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
  std::optional<Rectangle> found = findRectangle();
  if (!found)
    return std::nullopt;
  found->candidate = findFastest(*found);
  PlanCase result = candidates[found->candidate]->plan;
  for (PlanSize axis : {PlanSize::Queries, PlanSize::Keys})
    if (planner.isOpen(axis) && !(isSquare && axis == PlanSize::Keys))
      result.when[unsigned(axis)] = refine(*found, axis);
  cases.push_back(result);
  for (auto [point, time] : llvm::enumerate(timesOfPlan)) {
    int64_t query = queries[point / keys.size()],
            key = keys[point % keys.size()];
    time = timeOfPlan(sizesAt(query, key));
  }
  return result;
}
