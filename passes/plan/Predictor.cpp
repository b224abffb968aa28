// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost model of the planner: plan.md explains its terms.

#include "passes/plan/Predictor.h"

#include "passes/plan/Calibration.h"
#include "passes/schedule/x86/TileSizes.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

/// Slots of a multiply-add of products, of which pairs of bf16 have two.
double Predictor::productSlots() const {
  return hasPairs() ? 0.5 * cpu.multiplyAdds / cpu.pairProducts : 1;
}

/// Bytes of an element of queries and of weights, as products take them.
double Predictor::bytesOfFactor() const { return hasPairs() ? 2 : 4; }

/// Slots of an exp, the part `hidden` of which is under products.
double Predictor::slotsOfExp(double hidden) const {
  using namespace calibration;
  return cpu.sharesPorts ? sharedExp
                         : nakedExp - (nakedExp - hiddenExp) * hidden;
}

double Predictor::readRate(double bytes, double all, double readers) const {
  constexpr double usable = 0.8, shared = 0.7;
  if (bytes <= usable * double(cpu.l2))
    return cpu.l2Rate;
  // Data that is read again and again, and is larger than the cache, pushes
  // itself out: twice the part that does not fit comes from memory.
  double missing = std::clamp(2 * (1 - shared * double(cpu.l3) / all), 0., 1.);
  double memory = std::min(cpu.memoryRate, cpu.allMemoryRate / readers);
  return 1 / ((1 - missing) / cpu.l3Rate + missing / memory);
}

double Predictor::share(double cycles, double count, double longest,
                        bool isUneven) const {
  using namespace calibration;
  double perThread = count / double(threads);
  // Pieces of equal length are dealt in rounds; a loop that balances fills half
  // of the gap at the end of uneven ones.
  double idle = longest * (std::ceil(perThread) - perThread);
  cycles = cycles / double(threads) + (isUneven ? idle / 2 : idle);
  cycles = std::max(cycles, longest);
  if (threads > 1)
    cycles = cycles * calibration::threads + wake;
  return (cycles + call) / cpu.hertz;
}

//===----------------------------------------------------------------------===//
// Tiles of scores: online and panel
//===----------------------------------------------------------------------===//

/// Bytes of the tiles of one group of heads: queries, weights of a block, sums.
double Predictor::scratchOf(const PlanCase &plan, int64_t lanes) const {
  double heads = double(work.heads) / double(work.groups);
  double queryHeads = double(work.queryHeads) / double(work.groups);
  double row = queryHeads * double(work.keyFeatures) * bytesOfFactor() +
               heads * double(work.valueFeatures) * 4;
  if (plan.algorithm == Algorithm::Online)
    row += heads * double(plan.block) * bytesOfFactor();
  return row * double(lanes);
}

/// Bytes of a panel's strip: the weights of all heads.
double Predictor::stripOf(const PlanSizes &sizes, int64_t lanes) const {
  return double(work.heads / work.groups) * double(sizes.keys) * double(lanes) *
         4;
}

/// Slots that a vector of pairs takes, of one group of heads with `keys` keys.
double Predictor::slotsOfPair(const PlanCase &plan, double keys) const {
  using namespace calibration;
  const PairCounts &pair = work.pair;
  double features = double(std::max<int64_t>(work.keyFeatures, 1));
  double block = double(plan.block);
  double blocks = std::max(1.0, keys / block);
  // The last block has no products that hide its exps, and mixed scores have
  // few for each.
  double hidden =
      (1 - 1 / blocks) * std::min(1.0, pair.scores / (pair.exps * hidingSlots));
  // Online, outputs mix after the softmax, not weights.
  bool mixesWeights = plan.algorithm == Algorithm::Panel;
  double mixed = pair.premix + (mixesWeights ? pair.postmix : 0);
  double slots = (pair.scores * (1 + scoreOverhead / features) +
                  pair.pool * (1 + poolOverhead / block)) *
                     productSlots() +
                 mixed * mix + pair.exps * slotsOfExp(hidden) +
                 pair.other * other + pair.reads * read + pair.draws * draw;
  return slots / double(work.groups);
}

/// Cycles of one group of heads and one tile of `lanes` queries.
double Predictor::cyclesOfTile(const PlanCase &plan, const PlanSizes &sizes,
                               int64_t lanes, double readers) const {
  using namespace calibration;
  double groups = double(work.groups);
  double keys = work.visibleKeys(sizes, plan.lanes, plan.block);
  double vectors = double(std::max<int64_t>(1, lanes / cpu.lanes));
  bool isWidest = lanes >= cpu.widestTile();
  double width = isWidest ? 1 : vectors == 1 ? oneVector : twoVectors;
  double excess = scratchOf(plan, lanes) / double(cpu.l1) - 1;
  double crowd = scratchOf(plan, lanes) / double(cpu.l2) - roomy;
  double cache = 1 + std::clamp(excess * overflow, 0.0, mostOverflow) +
                 std::max(crowd, 0.0) * crowding;
  double slots = slotsOfPair(plan, keys) * width * cache;
  double cycles = slots * vectors * keys / cpu.multiplyAdds;
  // Keys and values come from where those of a group of heads fit, which all
  // its tiles read.
  double keyBytes = work.bytesOfKey() / groups;
  double sets = std::min(readers, double(sizes.batch) * groups);
  double keySet = keyBytes * double(sizes.keys);
  double rate = readRate(keySet, keySet * sets, readers);
  cycles = std::max(cycles, keyBytes * keys / rate);
  if (plan.algorithm == Algorithm::Panel) {
    double panel = stripOf(sizes, lanes), part = keys / double(sizes.keys);
    // Written once and read once.
    double all = keySet * sets + panel * readers;
    cycles += 2 * panel * part * strip / readRate(panel, all, readers);
  }
  double elements = double(work.queryHeads * work.keyFeatures +
                           work.heads * work.valueFeatures) /
                    groups * double(lanes);
  return cycles + elements * pack + tile +
         keys / double(plan.block) * calibration::block;
}

Prediction Predictor::predictTiles(const PlanCase &plan,
                                   const PlanSizes &sizes) const {
  // Queries that do not fill a tile go into tiles that are half as wide.
  int64_t width = std::max(cpu.lanes, plan.lanes / 2);
  double whole = double(sizes.queries / plan.lanes);
  double narrow =
      double(llvm::divideCeil(uint64_t(sizes.queries % plan.lanes), width));
  double each = double(sizes.batch * work.groups);
  double count = each * (whole + narrow);
  double readers = std::clamp(count, 1.0, double(threads));
  double wide = whole > 0 ? cyclesOfTile(plan, sizes, plan.lanes, readers) : 0;
  double last = narrow > 0 ? cyclesOfTile(plan, sizes, width, readers) : 0;
  double cycles = each * (whole * wide + narrow * last);
  double longest = std::max(wide, last);
  double bytes = scratchOf(plan, plan.lanes);
  if (plan.algorithm == Algorithm::Panel)
    bytes += stripOf(sizes, plan.lanes);
  return {share(cycles, count, longest, work.isCausal), bytes};
}

//===----------------------------------------------------------------------===//
// Other algorithms
//===----------------------------------------------------------------------===//

/// Parts of the keys apart: as fast as they are read, or their products.
Prediction Predictor::predictDecode(const PlanCase &plan,
                                    const PlanSizes &sizes) const {
  using namespace calibration;
  double queries = double(sizes.queries), groups = double(work.groups);
  double lanes = double(cpu.lanes);
  double parts =
      std::max(1.0, std::ceil(double(sizes.keys) / double(plan.split)));
  double keys = double(sizes.keys) / parts;
  const PairCounts &pair = work.pair;
  double rows = pair.scores / double(std::max<int64_t>(work.keyFeatures, 1)) +
                pair.pool / double(work.valueFeatures);
  double slots = pair.products() + rows * decodeRow * lanes + pair.premix +
                 pair.postmix + pair.exps * slotsOfExp(0) + pair.other * other +
                 pair.reads + pair.draws * draw;
  double compute = queries * keys * slots / groups / lanes / cpu.multiplyAdds;
  double all = double(sizes.batch) * double(sizes.keys) * work.bytesOfKey();
  double count = double(sizes.batch) * groups * parts;
  double readers = std::clamp(count, 1.0, double(threads));
  double read = keys * work.bytesOfKey() / groups / readRate(all, all, readers);
  // Reading is hidden in part: rows wait for it one after the other.
  double item =
      std::max(compute, read) + std::min(compute, read) * exposed + tile;
  double sums = queries * double(work.heads * work.valueFeatures) / lanes;
  double merged = double(sizes.batch) * parts * sums * merge;
  double seconds = share(count * item, count, item, false);
  double bytes = scratchOf(plan, sizes.queries);
  // Powers of all keys wait for the sums of all parts.
  if (pair.postmix > 0)
    bytes +=
        double(sizes.batch * work.heads) * queries * double(sizes.keys) * 4;
  return {seconds + merged / cpu.hertz, bytes};
}

/// The state of linear attention chunk by chunk; causal chunks also score their
/// own keys.
Prediction Predictor::predictChunks(const PlanCase &plan,
                                    const PlanSizes &sizes) const {
  using namespace calibration;
  double chunk = double(plan.block), lanes = double(cpu.lanes);
  double queries = double(sizes.queries), keys = double(sizes.keys);
  double features = double(work.features), values = double(work.valueFeatures);
  double products =
      features * values *
      (queries * double(work.heads) + keys * double(work.keyHeads));
  if (work.isCausal)
    products += chunk * (features + values) * queries * double(work.heads);
  double slots =
      products * productSlots() / linearShare +
      queries * (work.plainOther * other + work.plainExps * slotsOfExp(0));
  double cycles = double(sizes.batch) * slots / lanes / cpu.multiplyAdds;
  double count = double(sizes.batch * work.groups);
  double state = features * (values + 1) * double(work.heads / work.groups);
  double bytes = 4 * (state + chunk * (2 * features + values + chunk));
  return {share(cycles, count, cycles / std::max(1.0, count), false), bytes};
}

/// Cycles in which the operands and results of `rows` rows of a pool move.
double Predictor::cyclesOfMoves(double rows, double readers) const {
  // Memory that is written is read first.
  double bytes = rows * (work.movedBytes + double(work.heads) *
                                               double(work.valueFeatures) *
                                               double(work.bits) / 8);
  return bytes / readRate(bytes, bytes, readers);
}

/// Rows of a pool: as fast as they are read and written, or their products.
Prediction Predictor::predictPieces(const PlanCase &plan,
                                    const PlanSizes &sizes) const {
  using namespace calibration;
  double rows = double(sizes.batch) * double(sizes.queries);
  double values = double(work.heads * work.valueFeatures);
  double slots = work.plainMultiplyAdds / pieceShare + values * pieceOverhead;
  double compute = slots / double(cpu.lanes) / cpu.multiplyAdds +
                   work.plainOther * pieceOther;
  double move = cyclesOfMoves(rows, double(threads));
  double count = double(sizes.batch * work.heads) *
                 double(llvm::divideCeil(sizes.queries, rowsOfItem));
  double cycles = std::max(rows * compute, move);
  double bytes = 4 * double(plan.block * work.valueFeatures);
  return {share(cycles, count, cycles / std::max(1.0, count), false), bytes};
}

/// Scalar loops on one thread over tensors of all pairs.
Prediction Predictor::predictPlain(const PlanSizes &sizes) const {
  using namespace calibration;
  double units = double(sizes.batch) * double(sizes.queries);
  if (work.kind == Workload::Kind::Softmax)
    units *= double(sizes.keys);
  double cycles =
      units * (work.plainMultiplyAdds * plainMultiplyAdd +
               work.plainOther * plainOther + work.plainExps * plainExp);
  if (work.kind == Workload::Kind::Pool)
    cycles = std::max(cycles, cyclesOfMoves(units, 1));
  // Scores, exponentials, weights.
  double tensors = work.kind == Workload::Kind::Softmax
                       ? units * double(work.queryHeads + 2 * work.heads)
                   : work.kind == Workload::Kind::Linear
                       ? units * double(work.heads * work.features)
                       : units * double(work.heads * work.valueFeatures);
  return {(cycles + call) / cpu.hertz, 4 * tensors};
}

Prediction Predictor::predict(const PlanCase &plan,
                              const PlanSizes &sizes) const {
  switch (plan.algorithm) {
  case Algorithm::Online:
  case Algorithm::Panel:
    return predictTiles(plan, sizes);
  case Algorithm::Decode:
    return predictDecode(plan, sizes);
  case Algorithm::ChunkedLinear:
    return predictChunks(plan, sizes);
  case Algorithm::Banded:
    return predictPieces(plan, sizes);
  case Algorithm::Unfused:
    return predictPlain(sizes);
  }
  llvm_unreachable("all algorithms are known");
}

double Predictor::shareOfPeak(double seconds, const PlanSizes &sizes) const {
  double peak = cpu.peak() / productSlots() * double(threads);
  return work.usefulFlops(sizes) / (seconds * peak);
}
