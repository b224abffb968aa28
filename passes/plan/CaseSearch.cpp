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

/// Batches of the grid: the last has more items than multiprocessors where
/// heads are a few.
static constexpr int64_t gridBatches[] = {1, 8, 64};

/// The part of its own time that a case must save somewhere.
static constexpr double worthACase = 0.25;

/// The ratio of predicted times up to which nothing counts as saved.
static constexpr double nearRatio = 1.1;

/// The part of the greatest gain that is enough for code that is there.
static constexpr double nearGain = 0.8;

/// Few queries of so many keys are bound by memory, whose rate depends on the
/// machine more than on the kind of CPU or GPU: nothing is gained or lost
/// there.
static constexpr int64_t fewQueries = 64, manyKeys = 2048;

/// Queries that are fewer than the lanes, or rows, that schedules compute at
/// once. The times of schedules that are not for few queries are multiplied by
/// this there.
static constexpr int64_t fewestLanes = 8;
static constexpr double ofLessArithmetic = 1.3;

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
  axes = {
      planner.asksForBatch() ? llvm::to_vector(ArrayRef(gridBatches))
                             : SmallVector<int64_t>{planner.getSizes().batch},
      sizesOf(PlanSize::Queries, leastQueries),
      isSquare ? SmallVector<int64_t>{0} : sizesOf(PlanSize::Keys, leastKeys)};
  for (int64_t batch : axes[0])
    for (int64_t queries : axes[1])
      for (int64_t keys : axes[2])
        points.push_back(sizesAt(batch, queries, keys));
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
  for (const PlanSizes &sizes : points) {
    // At the usual sizes the choice is made.
    bool isUsual = sizes == planner.getSizes();
    for (auto [candidate, own] : llvm::zip(candidates, times))
      own.push_back(isUsual ? std::numeric_limits<double>::infinity()
                            : timeOf(*candidate, sizes));
    timesOfPlan.push_back(predict(usual, sizes));
  }
}

PlanSizes CaseSearch::sizesAt(int64_t batch, int64_t queries,
                              int64_t keys) const {
  return {batch, queries, isSquare ? queries : keys};
}

void CaseSearch::forEachPoint(const Box &box,
                              function_ref<void(unsigned)> inside) const {
  for (unsigned batch = box[0].begin; batch < box[0].end; ++batch)
    for (unsigned query = box[1].begin; query < box[1].end; ++query)
      for (unsigned key = box[2].begin; key < box[2].end; ++key)
        inside(pointOf(batch, query, key));
}

/// Where the rate of memory decides, a schedule that is for few queries alone
/// computes the least: on a machine whose memory is faster it stays the best.
double CaseSearch::predict(const PlanCase &plan, const PlanSizes &sizes) const {
  double seconds = planner.predict(plan, sizes).seconds;
  bool isForFew =
      planner.scheduleOf(plan).mostQueries() != SizeRange::unbounded;
  bool isBound = sizes.queries <= fewestLanes && sizes.keys > manyKeys;
  return isBound && !isForFew ? seconds * ofLessArithmetic : seconds;
}

double CaseSearch::timeOf(const PlanCandidate &candidate,
                          const PlanSizes &sizes) const {
  return planner.mayBeChosen(candidate, sizes)
             ? predict(candidate.plan, sizes)
             : std::numeric_limits<double>::infinity();
}

double CaseSearch::timeOfPlan(const PlanSizes &sizes) const {
  for (const PlanCase &each : llvm::reverse(cases))
    if (each.holds(sizes.batch, sizes.queries, sizes.keys))
      return predict(each, sizes);
  llvm_unreachable("the usual case has no conditions");
}

/// How many calls there are of these sizes, next to others.
static double callsAt(const PlanSizes &sizes) {
  return sizes.queries == 1 ? callsOfOneQuery : 1;
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

std::vector<double> CaseSearch::gainsOf(unsigned candidate) const {
  std::vector<double> gains;
  for (auto [sizes, before, after] :
       llvm::zip(points, timesOfPlan, times[candidate]))
    gains.push_back(gainOf(candidate, sizes, before, after));
  return gains;
}

/// Replaces `best`, whose sum of gains and number of points are `most`, by a
/// better box of `candidate` for `batches` (Kadane's scan of keys, for each
/// range of queries). It has a point that is worth a case.
void CaseSearch::findBox(unsigned candidate, ArrayRef<double> gains,
                         Span batches, std::optional<Found> &best,
                         std::pair<double, unsigned> &most) const {
  unsigned numQueries = axes[1].size(), numKeys = axes[2].size();
  bool isFirst = cases.size() == 1;
  for (unsigned begin = 0; begin < numQueries; ++begin) {
    std::vector<double> sums(numKeys, 0);
    std::vector<bool> areWorth(numKeys, false);
    for (unsigned end = begin; end < numQueries; ++end) {
      double sum = 0;
      unsigned first = 0;
      bool isWorth = false;
      for (unsigned key = 0; key < numKeys; ++key) {
        for (unsigned batch = batches.begin; batch < batches.end; ++batch) {
          unsigned point = pointOf(batch, end, key);
          sums[key] += gains[point] * callsAt(points[point]);
          areWorth[key] =
              areWorth[key] || gains[point] > std::log1p(worthACase);
        }
        if (sum < 0) {
          sum = 0;
          first = key;
          isWorth = false;
        }
        sum += sums[key];
        isWorth |= areWorth[key];
        Box box = {batches, Span{begin, end + 1}, Span{first, key + 1}};
        unsigned size = box[0].size() * box[1].size() * box[2].size();
        auto found = std::make_pair(sum, isFirst ? size : 0u);
        if (isWorth && found > most) {
          most = found;
          best = {candidate, box};
        }
      }
    }
  }
}

/// The box of the grid with the greatest sum of gains, for the candidate that
/// has the greatest. Of several the first case takes the largest: others leave
/// what they do not gain to it.
std::optional<CaseSearch::Found> CaseSearch::findBox() const {
  std::optional<Found> best;
  auto most = std::make_pair(0.0, 0u);
  for (unsigned candidate = 0; candidate < candidates.size(); ++candidate) {
    std::vector<double> gains = gainsOf(candidate);
    for (unsigned begin = 0; begin < axes[0].size(); ++begin)
      for (unsigned end = begin + 1; end <= axes[0].size(); ++end)
        findBox(candidate, gains, {begin, end}, best, most);
  }
  return best;
}

bool CaseSearch::isInPlan(unsigned candidate) const {
  return llvm::any_of(cases, [&](PlanCase each) {
    each.when = {};
    return each == candidates[candidate]->plan;
  });
}

/// The candidate that is the fastest at more points of `found` than another,
/// rather than that of the greatest gain: what it loses elsewhere, a later case
/// mends. It gains something itself.
unsigned CaseSearch::findFastest(const Found &found) const {
  std::vector<double> wins(candidates.size(), 0), gains = wins;
  forEachPoint(found.box, [&](unsigned point) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::vector<double> &own : times)
      least = std::min(least, own[point]);
    double calls = callsAt(points[point]);
    for (unsigned each = 0; each < candidates.size(); ++each) {
      double own = times[each][point];
      gains[each] +=
          gainOf(each, points[point], timesOfPlan[point], own) * calls;
      if (own <= least)
        wins[each] += calls;
    }
  });
  unsigned best = found.candidate;
  for (unsigned each = 0; each < candidates.size(); ++each)
    if (gains[each] > 0 && wins[each] > wins[best])
      best = each;
  // A candidate that the plan has already takes no more code.
  if (isInPlan(best))
    return best;
  double least = nearGain * gains[best];
  for (unsigned each = 0; each < candidates.size(); ++each)
    if (isInPlan(each) && gains[each] >= least) {
      best = each;
      least = gains[each];
    }
  return best;
}

/// The sizes along `axis` that `found` is for: on both sides the choice changes
/// somewhere between two sizes of the grid, where gains along the other axes
/// add up to nothing.
SizeRange CaseSearch::refine(const Found &found, PlanSize axis) const {
  unsigned number = unsigned(axis);
  Span span = found.box[number];
  ArrayRef<int64_t> own = axes[number];
  Box others = found.box;
  others[number].end = others[number].begin + 1;
  auto gains = [&](int64_t size) {
    double sum = 0;
    forEachPoint(others, [&](unsigned point) {
      PlanSizes at = points[point];
      at[axis] = size;
      at = sizesAt(at.batch, at.queries, at.keys);
      sum += gainOf(found.candidate, at, timeOfPlan(at),
                    timeOf(*candidates[found.candidate], at));
    });
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
  while (std::optional<Found> found = findBox()) {
    found->candidate = findFastest(*found);
    PlanCase result = candidates[found->candidate]->plan;
    bool isWide = true;
    for (PlanSize axis : {PlanSize::Batch, PlanSize::Queries, PlanSize::Keys})
      if (planner.isOpen(axis) && !(isSquare && axis == PlanSize::Keys)) {
        SizeRange range = refine(*found, axis);
        result.when[unsigned(axis)] = range;
        isWide &= range.above < 0 || range.atMost == SizeRange::unbounded ||
                  range.atMost - range.above > range.atMost / 4;
      }
    if (!isWide) {
      // Where tiles end, times jump: what is faster there alone is passed over.
      forEachPoint(found->box, [&](unsigned point) {
        for (std::vector<double> &own : times)
          own[point] = std::numeric_limits<double>::infinity();
      });
      continue;
    }
    cases.push_back(result);
    for (auto [sizes, time] : llvm::zip(points, timesOfPlan))
      time = timeOfPlan(sizes);
    return result;
  }
  return std::nullopt;
}
