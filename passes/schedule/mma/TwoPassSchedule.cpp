// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of mma's schedule that passes over the keys twice, and its
// stages.

#include "passes/schedule/TwoPassStages.h"
#include "passes/schedule/gpu/StageSchedule.h"
#include "passes/schedule/mma/ExchangeSizes.h"
#include "passes/schedule/mma/Schedules.h"
#include "passes/schedule/mma/TwoPassSizes.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

namespace {

class TwoPass final : public GpuSchedule {
public:
  explicit TwoPass(TargetAttr target)
      : GpuSchedule("two_pass",
                    "the sums of all heads' rows first, then weights again, "
                    "which heads mix and pool; by mma.sync",
                    target, findGpuForMma(target), {}),
        sharedBytes(describeGpu(target).sharedBytes) {}

  bool isFor(Operation *op) const override {
    auto attention = dyn_cast<AttentionOpInterface>(op);
    return attention && attention.hasPostmix();
  }
  std::string whyNot(Operation *op) const override;
  SmallVector<PlanNumbers> propose(const Workload &) const override {
    return {{}};
  }
  bool hasStages(Operation *op) const override { return isFor(op); }
  void makeStages(RewriterBase &rewriter, Operation *op,
                  const PlanCase &plan) const override {
    makeTwoPassStages(rewriter, cast<GenericOp>(op));
  }
  void emit(KernelOp, const PlanCase &) const override {
    llvm_unreachable("kernels of its stages are scheduled");
  }

protected:
  SmallVector<BlockCounts, 1> countBlocks(AttentionOpInterface op,
                                          const PlanCase &plan) const override;
  /// A reference and a factor, f32.
  double bytesOfRow() const override { return 8; }

private:
  /// Bytes of shared memory that a block may have.
  int64_t sharedBytes;
};

/// A stage of the attention in its region.
template <typename Op> class Stage final : public gpus::StageSchedule<Op> {
public:
  using Emission = void (*)(KernelOp, int64_t sharedBytes);

  Stage(TargetAttr target, llvm::StringLiteral name,
        llvm::StringLiteral summary, Emission emission)
      : gpus::StageSchedule<Op>(name, summary, target), attention(target),
        emission(emission) {}

  void emit(KernelOp kernel, const PlanCase &) const override {
    emission(kernel, this->gpu.sharedBytes);
  }

private:
  std::string whyNotStage(Op stage) const override {
    return attention.whyNot(stage.getGeneric());
  }

  TwoPass attention;
  Emission emission;
};

} // namespace

static std::unique_ptr<Schedule> makeTwoPass(TargetAttr target) {
  return std::make_unique<TwoPass>(target);
}

static std::unique_ptr<Schedule> makeSoftmaxFactors(TargetAttr target) {
  return std::make_unique<Stage<SoftmaxFactorsOp>>(
      target, llvm::StringLiteral("softmax_factors"),
      llvm::StringLiteral("references and factors of rows"),
      scheduleSoftmaxFactors);
}

static std::unique_ptr<Schedule> makePoolMixed(TargetAttr target) {
  return std::make_unique<Stage<PoolMixedOp>>(
      target, llvm::StringLiteral("pool_mixed"),
      llvm::StringLiteral("weights made again, mixed, and values pooled"),
      schedulePoolMixed);
}

void mma::addTwoPass(ScheduleTable &table, TargetFamily family) {
  for (auto make : {makeTwoPass, makeSoftmaxFactors, makePoolMixed})
    table.add(family, make);
}

std::string TwoPass::whyNot(Operation *op) const {
  if (std::string why = GpuSchedule::whyNot(op); !why.empty())
    return why;
  auto attention = cast<AttentionOpInterface>(op);
  if (!attention.hasPostmix())
    return "its weights do not mix";
  if (TwoPassSizes sizes = TwoPassSizes::ofFactors(attention, sharedBytes);
      !sizes.why.empty())
    return sizes.why;
  if (ExchangeSizes::of(attention, sharedBytes))
    return "";
  return TwoPassSizes::ofPool(attention, sharedBytes).why;
}

/// Bytes of all operands but queries, keys, values and given scores that
/// `heads` heads of `queries` queries load for a block of `keys` keys: two
/// passes copy none of them.
static double countLoadedBytes(AttentionOpInterface op, int64_t heads,
                               int64_t queries, int64_t keys) {
  OperandWindows windows =
      OperandWindows::find(op, heads, queries, keys, /*teams=*/1);
  double there = countShareThere(op, queries),
         all = windows.bytesOfBlock(there);
  Value given = op.getGivenScores();
  return given ? all - windows.bytesOfBlock(there, given) : all;
}

/// Bytes of what the mixers of `queries` queries are made of, where each has
/// one of its own, for `heads` heads that are mixed.
static double countMixSourceBytes(AttentionOpInterface op, int64_t heads,
                                  int64_t queries) {
  if (!op.getMixSource())
    return 0;
  auto type = cast<RankedTensorType>(op.getMixSource().getType());
  return double(queries * heads * type.getDimSize(3) *
                type.getElementTypeBitWidth() / 8);
}

/// The copies of a pass of `op` with `sizes`, and its products of scores. A
/// warp has 16 queries, and reads each tile for itself.
static BlockCounts countScores(AttentionOpInterface op,
                               const TwoPassSizes &sizes) {
  constexpr int64_t bytesOfElement = 2;
  HeadGroup group(op);
  double keys = double(sizes.keys), tiles = double(sizes.units * sizes.tiles());
  double columns = tiles * double(sizes.features);
  double pooled = double(sizes.values ? sizes.heads * sizes.valueFeatures : 0);
  BlockCounts counts;
  counts.queries = groupQueries;
  counts.keys = sizes.keys;
  counts.heads = sizes.heads;
  // m16n8k16; a load of four squares of 512 bytes serves two of them, or is of
  // queries.
  counts.warp.products = keys * (columns + pooled) / (8 * 16);
  double loads = counts.warp.products / 2 + columns / 16;
  double copied = keys * bytesOfElement *
                  (tiles * double(group.ownFeatures) +
                   double(sizes.values * group.ownValueFeatures));
  counts.givenBytes =
      sizes.windows().bytesOfBlock(countShareThere(op, groupQueries)) *
      double(sizes.units);
  copied += counts.givenBytes;
  double ofQueries = double(groupQueries * sizes.units * sizes.channels *
                            group.ownFeatures * bytesOfElement);
  (sizes.streamsQueries ? copied : counts.queryBytes) += ofQueries;
  counts.warp.moves = loads + copied / 16 / threads;
  counts.sharedBytes = loads * 512 * (threads / 32) + copied;
  counts.copiedBytes =
      copied + countLoadedBytes(op, std::max(sizes.mixed, sizes.heads),
                                groupQueries, sizes.keys);
  double pairs = double(groupQueries) * keys;
  counts.multiplyAdds = pairs * (columns + pooled);
  counts.usefulMultiplyAdds = pairs * pooled;
  return counts;
}

/// The second pass where a block has all heads; a warp has 16 queries of its
/// team's heads, and mixes the weights of a few queries.
static BlockCounts countExchange(AttentionOpInterface op,
                                 const ExchangeSizes &sizes) {
  constexpr int64_t bytesOfElement = 2, rows = 16, bytesOfSquares = 512;
  double keys = double(sizes.keys), heads = double(sizes.teamHeads),
         features = double(sizes.products * sizes.features),
         values = double(sizes.valueFeatures),
         mixed = double(sizes.teamWarps() * sizes.parts() * sizes.mixed);
  BlockCounts counts;
  counts.stage = "pool_mixed";
  counts.queries = sizes.queries();
  counts.keys = sizes.keys;
  counts.heads = sizes.heads;
  counts.warps = sizes.allWarps / 4;
  double columns = heads * (features + values) + mixed;
  counts.warp = countPowers(op, sizes.keys, 1, ReadFrom::Memory) * heads;
  counts.warp.products = keys * columns / (8 * 16);
  // Right sides, four squares for two products, and left ones: queries, mixers
  // and mixed weights.
  double loads = counts.warp.products / 2 + heads * features / rows +
                 double(sizes.teamWarps() * sizes.parts()) +
                 heads * keys / rows;
  // Pairs of weights of two rows, of heads with their rests and of queries.
  double pairs = (2 * heads + double(sizes.teamWarps())) * keys / 4;
  HeadGroup group(op);
  counts.givenBytes =
      sizes.windows().bytesOfBlock(countShareThere(op, counts.queries)) * heads;
  double copied =
      double(sizes.heads) * keys * bytesOfElement *
          double(sizes.products * group.ownFeatures + group.ownValueFeatures) +
      counts.givenBytes;
  counts.warp.alu += pairs + heads * keys;
  counts.warp.fma += heads * keys / 2;
  counts.warp.moves +=
      loads + pairs + copied / 16 / 32 / double(sizes.allWarps);
  constexpr double bytesOfPairs = 128;
  counts.sharedBytes =
      (loads * bytesOfSquares + pairs * bytesOfPairs) * sizes.allWarps + copied;
  counts.copiedBytes =
      copied + countLoadedBytes(op, sizes.heads, counts.queries, sizes.keys);
  counts.queryBytes = double(counts.queries * sizes.heads * group.ownFeatures *
                             bytesOfElement) +
                      countMixSourceBytes(op, sizes.heads, counts.queries);
  double scores = double(counts.queries) * keys * double(sizes.heads);
  counts.multiplyAdds =
      scores * (features + values + double(sizes.parts() * sizes.mixed));
  counts.usefulMultiplyAdds = scores * (features + values);
  return counts;
}

/// Scores of the first pass are no part of the result; those of the second are
/// for one group of heads, of all that make them again.
SmallVector<BlockCounts, 1> TwoPass::countBlocks(AttentionOpInterface op,
                                                 const PlanCase &) const {
  TwoPassSizes rows = TwoPassSizes::ofFactors(op, sharedBytes);
  BlockCounts first = countScores(op, rows);
  first.stage = "softmax_factors";
  first.warp +=
      countSoftmax(op, rows.keys, rows.heads, tile::allExps, ReadFrom::Memory);

  if (auto exchange = ExchangeSizes::of(op, sharedBytes))
    return {first, countExchange(op, *exchange)};
  TwoPassSizes sizes = TwoPassSizes::ofPool(op, sharedBytes);
  BlockCounts second = countScores(op, sizes);
  second.stage = "pool_mixed";
  second.turns = sizes.mixed;
  second.queryBytes += countMixSourceBytes(op, sizes.mixed, groupQueries);
  bool meet = sizes.units == 1;
  second.warp +=
      countPowers(op, sizes.keys, meet ? sizes.mixed : 1, ReadFrom::Memory) *
      double(sizes.units);
  double mixed = double(sizes.mixed), heads = double(sizes.heads),
         elements = double(sizes.keys) / 2;
  // Two rows have a coefficient for each pair of heads, made of two numbers,
  // and a reference; two weights become one register of an operand.
  second.warp.fma += mixed * heads * (elements + 2);
  second.warp.moves += mixed * (heads + 4);
  second.warp.alu += heads * elements / 2;
  double scored = double(sizes.units * sizes.tiles() * sizes.features);
  second.usefulMultiplyAdds += double(groupQueries * sizes.keys) * scored *
                               heads / double(op.getNumHeads());
  return {first, second};
}
