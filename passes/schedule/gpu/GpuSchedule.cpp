// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The base of the records of schedules for GPUs.

#include "passes/schedule/gpu/GpuSchedule.h"
#include "passes/schedule/gpu/Collapse.h"
#include "passes/schedule/gpu/HeadGroup.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

std::string mixattn::whyBetter(const Schedule *better, Operation *op) {
  auto kernel = dyn_cast<KernelOp>(op->getParentOp());
  if (kernel && isa<MemRefType>(kernel.getOutputs()[0].getType()))
    return "";
  if (!better || !better->whyNot(op).empty())
    return "";
  return llvm::formatv("'{0}' takes it", better->name);
}

std::string GpuSchedule::whyNot(Operation *op) const {
  auto generic = dyn_cast<GenericOp>(op);
  if (!generic)
    return "it is not the normal form of a softmax attention";
  AttentionOpInterface attention = generic;
  if (hasEmptyOperand(op))
    return "one of its operands has no elements";
  if (!findGpu(chip))
    return llvm::formatv("there is no description of the GPU '{0}'", chip);
  Type type = attention.getValueType().getElementType();
  if (!type.isBF16() && !type.isF16())
    return llvm::formatv("queries, keys and values are f16 or bf16 on tensor "
                         "cores, but these are {0}",
                         type);
  if (attention.getWeights())
    return "it has no code for 'weights'";
  // A result would be as exact as 16 bits, not as f32.
  if (getElementTypeOrSelf(op->getResultTypes().front()).isF32())
    return llvm::formatv("weights are rounded to {0} on tensor cores, but "
                         "results are f32",
                         type);
  static constexpr StringLiteral read[] = {
      "query",    "key",         "value",      "query_term", "key_term",
      "shifts",   "prior",       "bias",       "mask",       "lengths",
      "premixer", "w1",          "b1",         "w2",         "b2",
      "sigma",    "noise",       "seed",       "offset",     "query_factors",
      "mixer",    "key_factors", "mix_source", "mix_weight", "mix_bias",
      "start",    "given_scores"};
  for (auto [name, operand] : attention.getNamedOperands())
    if (!llvm::is_contained(read, name))
      return llvm::formatv("it has no code for '{0}'", name);
  for (Value each : {attention.getQuery(), attention.getKey()})
    if (Type own = each ? getElementTypeOrSelf(each.getType()) : type;
        own != type)
      return llvm::formatv("queries, keys and values are of one type on tensor "
                           "cores, but these are {0} and {1}",
                           own, type);
  for (Value each : {attention.getQuery(), attention.getValue()})
    if (int64_t size =
            each ? cast<RankedTensorType>(each.getType()).getDimSize(3) : 1;
        size > 256 || size < 1)
      return llvm::formatv("head sizes are from 1 to 256 on tensor cores, but "
                           "one is {0}",
                           ShapedType::isDynamic(size) ? "open"
                                                       : std::to_string(size));
  return "";
}

std::string GpuSchedule::whyNotOnline(Operation *op) const {
  if (std::string why = GpuSchedule::whyNot(op); !why.empty())
    return why;
  auto attention = cast<AttentionOpInterface>(op);
  if (attention.hasPostmix())
    return "it has no code for 'postmix'";
  return whyNoRegisters(attention);
}

std::string GpuSchedule::whyNoRegisters(AttentionOpInterface attention) {
  if (HeadGroup(attention).findKeys() == 0)
    return "registers do not hold the scores of all channels and the outputs "
           "of a head";
  return "";
}

std::string GpuSchedule::whyNotNumbers(const PlanCase &plan) const {
  if (int64_t exps = expsOf(plan); exps < 1 || exps > tile::allExps)
    return llvm::formatv("expected exps to be from 1 to 8, but got {0}", exps);
  return "";
}

/// Polynomials are proposed where the largest unit then takes a tenth less:
/// they take registers, of which the model knows nothing.
SmallVector<PlanNumbers> GpuSchedule::propose(const Workload &work) const {
  constexpr double worth = 0.9;
  auto boundOf = [&](int64_t exps) {
    return clocksOf(work, makePlan(work.op->getContext(), {exps}))
        .front()
        .overlapped();
  };
  constexpr int64_t all = tile::allExps;
  int64_t best = all;
  for (int64_t exps = all - 1; exps >= 1; --exps)
    if (boundOf(exps) < boundOf(best))
      best = exps;
  if (boundOf(best) > worth * boundOf(all))
    return {{all}};
  return {{best}, {all}};
}

bool GpuSchedule::hasStages(Operation *op) const {
  auto generic = dyn_cast<GenericOp>(op);
  return generic && !generic.getQueryFactors() &&
         Collapse::of(cast<AttentionOpInterface>(op));
}

void GpuSchedule::makeStages(RewriterBase &rewriter, Operation *op,
                             const PlanCase &) const {
  auto generic = cast<GenericOp>(op);
  Collapse collapse = *Collapse::of(cast<AttentionOpInterface>(op));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  auto factorsOf = [&](Value term, double headroom) {
    return RowFactorsOp::create(rewriter, op->getLoc(), term, headroom,
                                generic.getBase2());
  };
  Value ofQuery = factorsOf(generic.getQueryTerm(), collapse.headroom),
        ofKey = factorsOf(generic.getKeyTerm(), 0);
  rewriter.modifyOpInPlace(generic, [&] {
    generic.getQueryFactorsMutable().assign(ofQuery);
    generic.getKeyFactorsMutable().assign(ofKey);
  });
}

SmallVector<BlockClocks, 1> GpuSchedule::clocksOf(const Workload &work,
                                                  const PlanCase &plan) const {
  for (const auto &[known, clocks] : work.counted)
    if (known == plan)
      return clocks;
  SmallVector<BlockClocks, 1> clocks;
  for (const BlockCounts &each :
       countBlocks(cast<AttentionOpInterface>(work.op), plan))
    clocks.push_back(each.clocksOn(units, gpu));
  work.counted.push_back({plan, clocks});
  return clocks;
}

/// Blocks of queries are dealt to the multiprocessors in rounds. Products and
/// exps add up, which fits published times best (plan.md). Given scores are
/// read anew by each block that takes them, unlike keys and values, which
/// caches hold.
Prediction GpuSchedule::predict(const Workload &work, const PlanCase &plan,
                                const PlanSizes &sizes) const {
  double clocks = 0, seconds = 0, given = 0;
  for (const BlockClocks &block : clocksOf(work, plan)) {
    auto blocks = uint64_t(
        llvm::divideCeil(uint64_t(sizes.queries), uint64_t(block.queries)) *
        uint64_t(sizes.batch * work.heads / block.heads));
    double rounds = double(llvm::divideCeil(blocks, gpu.multiprocessors));
    double visits = work.visibleKeys(sizes, block.queries, block.keys),
           kept = work.keptKeys(sizes, block.queries, block.keys);
    clocks += rounds * (visits * block.serial() + kept * block.kept) /
              double(block.keys);
    given += double(blocks) * visits * block.givenBytes / double(block.keys);
    seconds += secondsOfLaunch;
  }
  double bytes = given + double(sizes.batch) *
                             (double(sizes.keys) * work.bytesOfKey() +
                              double(sizes.queries) *
                                  double(work.queryHeads * work.keyFeatures +
                                         work.heads * work.valueFeatures) *
                                  double(work.bits) / 8);
  double handed =
      bytesOfRow() * double(sizes.batch * work.heads * sizes.queries);
  seconds +=
      std::max(clocks / gpu.hertz, (bytes + 2 * handed) / gpu.memoryRate);
  return {seconds, handed};
}
