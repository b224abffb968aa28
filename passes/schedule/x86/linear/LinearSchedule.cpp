// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of linear attention: chunked_linear, and its stages.

#include "passes/schedule/x86/linear/LinearSchedule.h"

#include "dialect/tile/TileOps.h"
#include "passes/schedule/LinearStages.h"
#include "passes/schedule/x86/linear/Linear.h"
#include "passes/schedule/x86/shared/StageSchedule.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::x86;

namespace {

class ChunkedLinear final : public CpuSchedule {
public:
  explicit ChunkedLinear(const CpuModel &cpu)
      : CpuSchedule(cpu, "chunked_linear",
                    "the state of linear attention, chunk by chunk",
                    {blockNumber}) {}

  bool isFor(Operation *op) const override {
    return isa<LinearAttentionOpInterface>(op);
  }
  std::string whyNot(Operation *op) const override {
    auto generic = dyn_cast<LinearGenericOp>(op);
    if (!generic)
      return "it is not the normal form of linear attention";
    LinearAttentionOpInterface attention = generic;
    if (attention.getW1() && attention.getCausal())
      return "an MLP mixes the states at each position, so chunks of keys do "
             "not add up";
    return whyNoCode(op);
  }
  SmallVector<PlanNumbers> propose(const Workload &work) const override {
    // By AMX states, which each chunk splits, take longer than hidden scores.
    if (usesAmx(work))
      return {{64}};
    return {{64}, {32}};
  }
  Prediction predict(const Workload &work, const PlanCase &plan,
                     const PlanSizes &sizes) const override;
  bool hasStages(Operation *op) const override {
    return !cast<LinearGenericOp>(op).getCausal();
  }
  void makeStages(RewriterBase &rewriter, Operation *op,
                  const PlanCase &plan) const override {
    makeLinearStages(rewriter, cast<LinearGenericOp>(op), sizesOf(plan).block,
                     cpu.lanes);
  }
  void emit(KernelOp kernel, const PlanCase &plan) const override {
    scheduleCausalLinear(kernel, sizesOf(plan));
  }

private:
  /// Operations on vectors to split one into thirds and to store six of them,
  /// counted.
  static constexpr double operationsOfSplit = 9;

  double slotsByAmx(const Workload &work, double chunk, double queryRows,
                    double keyRows) const;
};

/// A stage that takes or makes states, of whole vectors.
template <typename Op> class LinearStage final : public StageSchedule<Op> {
public:
  using StageSchedule<Op>::StageSchedule;

private:
  std::string whyNotStage(Op op) const override {
    if (hasEmptyOperand(op))
      return "one of its operands has no elements";
    return whyNotSizes(op);
  }
  std::string whyNotSizes(LinearStateOp op) const {
    if (op.getSpan())
      return "it has no code for spans of the keys";
    LinearKeysOpInterface keys = op;
    int64_t inputs = keys.getKeyType().getShape().back();
    return whyNotSizes(
        op, getNumFeatures(op, inputs), keys.getValueType().getDimSize(3),
        op.getStates().getType().getDimSize(1) / keys.getNumKeyHeads());
  }
  std::string whyNotSizes(LinearReadOp op) const {
    int64_t inputs = op.getQuery().getType().getDimSize(3);
    return whyNotSizes(op, getNumFeatures(op, inputs),
                       op.getResult().getType().getDimSize(3), op.getRows());
  }
  std::string whyNotSizes(LinearMixStatesOp op) const {
    int64_t columns = op.getStates().getType().getDimSize(2);
    return whyNotPadded(op.getRows(), columns, op.getRows(), columns);
  }
  template <typename Chunked>
  std::string whyNotSizes(Chunked op, int64_t features, int64_t valueFeatures,
                          int64_t rows) const {
    PlanCase plan;
    plan.set(StringAttr::get(op.getContext(), blockNumber.name), op.getBlock());
    if (std::string why = this->whyNotNumbers(plan); !why.empty())
      return why;
    return whyNotPadded(features, valueFeatures, rows,
                        op.getStates().getType().getDimSize(2));
  }
  std::string whyNotPadded(int64_t features, int64_t valueFeatures,
                           int64_t rows, int64_t columns) const {
    auto lanes = uint64_t(this->cpu.lanes);
    auto wholeRows = int64_t(llvm::alignTo(features, lanes)),
         wholeColumns = int64_t(llvm::alignTo(valueFeatures, lanes));
    if (rows == wholeRows && columns == wholeColumns)
      return "";
    return llvm::formatv("expected states of {0} rows and {1} columns a head, "
                         "which are whole vectors, but got {2} and {3}",
                         wholeRows, wholeColumns, rows, columns);
  }
};

} // namespace

std::unique_ptr<Schedule> x86::makeChunkedLinear(TargetAttr target) {
  return std::make_unique<ChunkedLinear>(describeCpu(target));
}

std::unique_ptr<Schedule> x86::makeLinearState(TargetAttr target) {
  return std::make_unique<LinearStage<LinearStateOp>>(
      describeCpu(target), llvm::StringLiteral("linear_state"),
      llvm::StringLiteral("sums over keys, a chunk of them at a time"),
      scheduleLinearState);
}

std::unique_ptr<Schedule> x86::makeLinearMixStates(TargetAttr target) {
  return std::make_unique<LinearStage<LinearMixStatesOp>>(
      describeCpu(target), llvm::StringLiteral("linear_mix_states"),
      llvm::StringLiteral("an MLP of states, a vector of a row at a time"),
      scheduleLinearMixStates);
}

std::unique_ptr<Schedule> x86::makeLinearRead(TargetAttr target) {
  return std::make_unique<LinearStage<LinearReadOp>>(
      describeCpu(target), llvm::StringLiteral("linear_read"),
      llvm::StringLiteral("states that queries read, a chunk at a time"),
      scheduleLinearRead);
}

/// Slots of products, of whose numbers AMX multiplies thirds: the updates of
/// states, the reads of them, and the scores of causal chunks.
double ChunkedLinear::slotsByAmx(const Workload &work, double chunk,
                                 double queryRows, double keyRows) const {
  const Calibration &costs = cpu.costs;
  double features = double(work.features), values = double(work.valueFeatures);
  double inside = work.isCausal ? chunk : 0;
  // Six pairs of thirds; three where the right side is of bf16.
  double products = 6 * queryRows * features * (values + inside) +
                    3 * keyRows * features * values +
                    3 * queryRows * inside * values;
  double sums = keyRows / chunk * features * values;
  double stored = queryRows * (values + inside);
  // Numbers that are split: features of queries, scores, states that chunks of
  // queries read; values and features of keys, as left sides and for scores.
  // Features are turned, too, which counts as another time.
  double split = queryRows * (features + inside) +
                 queryRows / chunk * features * values +
                 keyRows * (features * (work.isCausal ? 3 : 2) + values);
  return products * costs.amxMultiplyAdd + sums * costs.amxSums +
         stored * costs.amxStore + split * costs.other * operationsOfSplit;
}

/// The state of linear attention chunk by chunk; causal chunks also score their
/// own keys.
Prediction ChunkedLinear::predict(const Workload &work, const PlanCase &plan,
                                  const PlanSizes &sizes) const {
  const Calibration &costs = cpu.costs;
  double chunk = double(plan.get("block")), lanes = double(cpu.lanes);
  double queries = double(sizes.queries), keys = double(sizes.keys);
  double features = double(work.features), values = double(work.valueFeatures);
  double queryRows = queries * double(work.heads),
         keyRows = keys * double(work.keyHeads);
  double products = features * values * (queryRows + keyRows);
  if (work.isCausal)
    products += chunk * (features + values) * queryRows;
  double ofProducts = usesAmx(work) && plan.get("block") % tile::amxTerms == 0
                          ? slotsByAmx(work, chunk, queryRows, keyRows)
                          : products / costs.linearShare;
  double slots = ofProducts + queries * (work.plainOther * costs.other +
                                         work.plainExps * slotsOfExp(0));
  double cycles = double(sizes.batch) * slots / lanes / cpu.multiplyAdds;
  double count = double(sizes.batch * work.groups);
  double state = features * (values + 1) * double(work.heads / work.groups);
  double bytes = 4 * (state + chunk * (2 * features + values + chunk));
  return {share(cycles, count, cycles / std::max(1.0, count), false), bytes};
}
