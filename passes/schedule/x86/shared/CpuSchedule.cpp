// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The terms that predictions for CPUs share.

#include "passes/schedule/x86/shared/CpuSchedule.h"

#include "passes/schedule/x86/shared/Thresholds.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;
using namespace mixattn::x86;

//===----------------------------------------------------------------------===//
// Ops that schedules take
//===----------------------------------------------------------------------===//

/// No more code than compiles in seconds.
static constexpr int64_t mostFeatures = 4096, mostMeetingHeads = 128,
                         mostComponents = 128;

std::string x86::whyNoCode(Operation *op) {
  if (hasEmptyOperand(op))
    return "one of its operands has no elements";
  int64_t features = 0, heads = 0, components = 1;
  if (auto generic = dyn_cast<GenericOp>(op)) {
    AttentionOpInterface attention = generic;
    ScoreOpInterface scores = generic;
    features = attention.getValueType().getDimSize(3);
    if (Value query = scores.getQuery())
      features = std::max(
          features, cast<RankedTensorType>(query.getType()).getDimSize(3));
    if (attention.hasPremix() || attention.hasPostmix())
      heads = attention.getNumHeads();
    components = scores.getNumComponents();
  } else if (auto generic = dyn_cast<LinearGenericOp>(op)) {
    LinearAttentionOpInterface attention = generic;
    features = std::max(attention.getNumFeatures(),
                        attention.getValueType().getDimSize(3));
    if (attention.getPremixer() || attention.getW1())
      heads = std::max(attention.getNumHeads(), attention.getNumKeyHeads());
    components = attention.getNumComponents();
  }
  if (features > mostFeatures)
    return llvm::formatv("its heads have {0} features, more than the {1} that "
                         "a schedule writes out",
                         features, mostFeatures);
  if (heads > mostMeetingHeads)
    return llvm::formatv("{0} of its heads meet, more than the {1} that a "
                         "schedule writes out",
                         heads, mostMeetingHeads);
  if (components > mostComponents)
    return llvm::formatv("its keys have {0} components, more than the {1} that "
                         "a schedule writes out",
                         components, mostComponents);
  return "";
}

std::string x86::whyNoScores(Operation *op) {
  auto attention = dyn_cast<GenericOp>(op);
  if (!attention)
    return "it is not the normal form of a softmax attention";
  return whyNoCode(op);
}

std::string CpuSchedule::whyNotNumbers(const PlanCase &plan) const {
  int64_t width = plan.get("width"), block = plan.get("block"),
          split = plan.get("split");
  int64_t narrowest = cpu.lanes, widest = cpu.widestTile();
  if (width &&
      (!llvm::isPowerOf2_64(width) || width < narrowest || width > widest))
    return llvm::formatv("expected width to be a power of 2 from {0} to {1} on "
                         "this target, but got {2}",
                         narrowest, widest, width);
  constexpr int64_t step = 16, longest = 1024;
  if (block % step != 0 || block > longest)
    return llvm::formatv("expected block to be a multiple of {0} up to {1}, "
                         "but got {2}",
                         step, longest, block);
  if (block == 0)
    block = TileSizes::of(cpu).block;
  if (split % block != 0)
    return llvm::formatv("expected split to be a multiple of the block {0}, "
                         "but got {1}",
                         block, split);
  return "";
}

/// As many sums stay in registers, however wide a tile is.
TileSizes CpuSchedule::sizesOf(const PlanCase &plan) const {
  TileSizes sizes = TileSizes::of(cpu);
  if (int64_t width = plan.get("width"))
    sizes = sizes.withWidth(width);
  if (int64_t block = plan.get("block"))
    sizes.block = block;
  return sizes;
}

//===----------------------------------------------------------------------===//
// Predictions
//===----------------------------------------------------------------------===//

double CpuSchedule::secondsOfCall() const { return cpu.costs.call / cpu.hertz; }

StringRef CpuSchedule::boundOf(const Workload &work,
                               const PlanSizes &sizes) const {
  double units = work.units(sizes), threads = double(cpu.threads);
  double vectors = double(cpu.lanes) * double(cpu.multiplyAdds);
  double bytes = work.movedBytes * units / threads;
  std::pair<double, StringRef> bounds[] = {
      {work.usefulFlops(sizes) / flopsOfPeak(work) * cpu.hertz, "products"},
      {work.plainExps * units * slotsOfExp(0) / vectors / threads, "exps"},
      {bytes / readRate(bytes, bytes * threads, threads), "memory"}};
  if (work.kind == Workload::Kind::Rows)
    bounds[0] = {(work.plainMultiplyAdds + work.plainOther) *
                     cpu.costs.rowOther / vectors / threads,
                 "arithmetic"};
  return std::max_element(std::begin(bounds), std::end(bounds))->second;
}

double CpuSchedule::productSlots(const Workload &work) const {
  // A square of 16 rows, 16 lanes and 32 terms every 16 cycles.
  constexpr double amxTerms = 32;
  if (usesAmx(work))
    return cpu.multiplyAdds / amxTerms;
  return hasPairs(work) ? cpu.slotsOfPair() : 1;
}

double CpuSchedule::slotsOfExp(double hidden) const {
  const Calibration &costs = cpu.costs;
  return costs.nakedExp - (costs.nakedExp - costs.hiddenExp) * hidden;
}

double CpuSchedule::cyclesOfRows(double operations, double exps) const {
  double slots = operations * cpu.costs.rowOther + exps * slotsOfExp(0);
  return slots / double(cpu.lanes * cpu.multiplyAdds);
}

/// Arithmetic, or moving, whichever takes longer.
double CpuSchedule::secondsOfRows(double operations, double exps,
                                  double bytes) const {
  double readers = double(cpu.threads);
  double cycles = std::max(cyclesOfRows(operations, exps),
                           bytes / readRate(bytes / readers, bytes, readers));
  double items = std::max(1.0, operations / double(thresholds::fewTurns));
  return share(cycles, items, cycles / items, false);
}

double CpuSchedule::readRate(double bytes, double all, double readers) const {
  constexpr double usable = 0.8, shared = 0.7;
  if (bytes <= usable * double(cpu.l2))
    return cpu.l2Rate;
  // Data that is read again and again, and is larger than the cache, pushes
  // itself out: twice the part that does not fit comes from memory.
  double missing = std::clamp(2 * (1 - shared * double(cpu.l3) / all), 0., 1.);
  double memory = std::min(cpu.memoryRate, cpu.allMemoryRate / readers);
  return 1 / ((1 - missing) / cpu.l3Rate + missing / memory);
}

double CpuSchedule::share(double cycles, double count, double longest,
                          bool isUneven) const {
  const Calibration &costs = cpu.costs;
  double threads = double(cpu.threads), perThread = count / threads;
  // Pieces of equal length are dealt in rounds; a loop that balances fills half
  // of the gap at the end of uneven ones.
  double idle = longest * (std::ceil(perThread) - perThread);
  cycles = cycles / threads + (isUneven ? idle / 2 : idle);
  cycles = std::max(cycles, longest);
  if (cpu.threads > 1)
    cycles = cycles * cpu.costs.threads + costs.wake;
  return (cycles + costs.call) / cpu.hertz;
}

double CpuSchedule::bytesOfTiles(const Workload &work, double lanes) const {
  double heads = double(work.heads) / double(work.groups);
  double queryHeads = double(work.queryHeads) / double(work.groups);
  double row = queryHeads * double(work.keyFeatures) * bytesOfFactor(work) +
               heads * double(work.valueFeatures) * 4;
  return row * lanes;
}

double CpuSchedule::cyclesOfMoves(const Workload &work, double rows,
                                  double readers) const {
  // Memory that is written is read first.
  double bytes = rows * (work.movedBytes + double(work.heads) *
                                               double(work.valueFeatures) *
                                               double(work.bits) / 8);
  return bytes / readRate(bytes, bytes, readers);
}
