// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts one attention, stage by stage.

#include "passes/plan/BodyCost.h"
#include "passes/plan/CostTerms.h"
#include "passes/plan/OpCost.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Counts what an op that scores queries against keys shares with an attention.
class ScoreCounter {
public:
  ScoreCounter(ScoreOpInterface op, const Sizes &sizes)
      : op(op), sizes(sizes), heads(op.getNumQueryHeads()),
        components(op.getNumComponents()), batch(sizeOf(op.getBatchDim())),
        queries(sizeOf(op.getQueriesDim())), keys(sizeOf(op.getKeysDim())),
        pairs(batch * queries * keys) {}

  Cost scores();
  /// The share of each component in each score.
  Cost shares();

protected:
  SizePolynomial sizeOf(OperandDim dim) const {
    return sizes.size(dim.value, dim.dim);
  }
  Cost distances(const SizePolynomial &features);

  ScoreOpInterface op;
  const Sizes &sizes;
  /// Heads of the queries, and components of each score.
  int64_t heads, components;
  SizePolynomial batch, queries, keys;
  /// Pairs of a query and a key: scores of one head.
  SizePolynomial pairs;
};

/// Counts the stages of an attention.
class AttentionCounter : ScoreCounter {
public:
  AttentionCounter(AttentionOpInterface op, const Sizes &sizes)
      : ScoreCounter(op, sizes), op(op), outputHeads(op.getNumHeads()),
        features(sizes.size(op.getValue(), 3)) {}

  StageCosts count();

private:
  Cost project();
  Cost combine();
  Cost noise();
  Cost premix();
  Cost modify();
  Cost normalise();
  Cost postmix();
  Cost pool();

  /// Whether exponentials of components are what the softmax sums: nothing
  /// stands between logsumexp and the softmax.
  bool sumsComponents();

  AttentionOpInterface op;
  int64_t outputHeads;
  /// Features of the values.
  SizePolynomial features;
};

} // namespace

/// A dot product each; for Gaussians the squared norms in addition, which the
/// papers leave out.
Cost ScoreCounter::scores() {
  Value query = op.getQuery();
  if (!query)
    return {};
  SizePolynomial features = sizes.size(query, 3);
  SizePolynomial raw = pairs * heads * components;
  Cost cost = productSum(features) * raw;
  if (op.getShifts())
    cost += arithmetic(batch * sizes.size(op.getKey(), 1) * keys * features *
                       components);
  if (op.getGaussian())
    cost += distances(features);
  if (op.getVariances() || op.getGaussian())
    cost += uncounted(raw, 0);
  for (Value term : {op.getQueryTerm(), op.getKeyTerm()})
    if (term)
      cost += arithmetic(raw);
  return cost;
}

/// |q|^2 - 2 q.k + |k|^2, except for the product.
Cost ScoreCounter::distances(const SizePolynomial &features) {
  Cost cost;
  SizePolynomial keyHeads = sizes.size(op.getKey(), 1);
  cost.multiplyAdds =
      batch * (queries * heads + keys * keyHeads * components) * features;
  cost.other = pairs * heads * components * 2;
  return cost;
}

/// The largest, shifted exponentials, their sum and quotients.
Cost ScoreCounter::shares() {
  SizePolynomial combined = pairs * heads, raw = combined * components;
  Cost cost = arithmetic(combined * (components - 1)) +
              uncounted(combined * (components - 1) + raw * 2, raw);
  if (op.getPrior())
    cost += uncounted(raw, 0);
  return cost;
}

/// Keys and values along their length.
Cost AttentionCounter::project() {
  Cost cost;
  SizePolynomial length = sizes.size(op.getValue(), 2);
  if (op.getKeyProjection())
    cost += productSum(length) * batch * sizes.size(op.getKey(), 1) * keys *
            sizes.size(op.getKey(), 3);
  if (op.getValueProjection())
    cost += productSum(length) * batch * sizes.size(op.getValue(), 1) * keys *
            features;
  return cost;
}

bool AttentionCounter::sumsComponents() {
  return op.hasComponents() && !op.getMaximum() && !op.hasPremix() &&
         !op.getNoiseKind() && op.getScaleOrDefault() == 1.0 && !op.getBias() &&
         !op.hasScoreMod() && !op.getSigsoftmax();
}

/// Components to one score. A published total misses some of the operations
/// (cost.md).
Cost AttentionCounter::combine() {
  if (!op.hasComponents())
    return {};
  SizePolynomial combined = pairs * heads, raw = combined * components;
  if (op.getMaximum())
    return uncounted(combined * (components - 1), 0);
  // The largest, shifted exponentials, their sum and its logarithm.
  Cost cost = arithmetic(combined * (components - 1));
  cost += uncounted(combined * (components - 1) + raw,
                    raw + (sumsComponents() ? 0 : combined));
  if (op.getPrior())
    cost += uncounted(raw, 0);
  if (Value query = op.getQuery())
    cost.misprinted =
        batch * queries * heads * (components - 1) * sizes.size(query, 3);
  return cost;
}

/// One multiply-add for each score that noise is drawn for. The papers do not
/// count the multiplication by sigma.
Cost AttentionCounter::noise() {
  std::optional<NoiseKind> kind = op.getNoiseKind();
  if (!kind)
    return {};
  bool isLocal = *kind == NoiseKind::Local;
  SizePolynomial drawn = pairs * (isLocal ? outputHeads : heads);
  // Beyond a linear mixer, noise of an output head meets each query head.
  SizePolynomial added = isLocal && op.getReluPerKey() ? drawn * heads : drawn;
  Cost cost;
  cost.multiplyAdds = cost.operations = added;
  // A normal of Philox takes its logarithm and its sine or cosine.
  if (op.getSeed())
    cost.exps = drawn * 2;
  return cost;
}

/// Query heads to output heads.
Cost AttentionCounter::premix() {
  if (Value hidden = op.getB1()) {
    SizePolynomial width = sizes.size(hidden, 0);
    return (productSum(heads, true) * width + uncounted(width, 0) +
            productSum(width, true) * outputHeads) *
           pairs;
  }
  Value mixer = op.getPremixer();
  if (!mixer)
    return {};
  bool isShared = cast<RankedTensorType>(mixer.getType()).getRank() == 1;
  int64_t mixed = isShared && !op.getReluPerKey() ? 1 : outputHeads;
  if (op.getReluPerKey())
    return (arithmetic(2 * heads - 1) + uncounted(heads, 0)) * pairs * mixed;
  return productSum(heads) * pairs * mixed;
}

/// Scale, bias and score_mod.
Cost AttentionCounter::modify() {
  SizePolynomial scores = pairs * outputHeads;
  Cost cost;
  if (op.getScaleOrDefault() != 1.0)
    cost += uncounted(op.getScaleBefore() ? pairs * heads : scores, 0);
  if (op.getBias())
    cost += arithmetic(scores);
  if (op.hasScoreMod())
    cost += countBody(op.getScoreMod()) * scores;
  // The op counts what the region reads.
  cost.bytes = 0;
  return cost;
}

/// Maximum, difference, exponential and sum of each score, and one division
/// for each row; the division's result multiplies the weights, or the pooled
/// values where nobody reads the weights.
Cost AttentionCounter::normalise() {
  SizePolynomial scores = pairs * outputHeads;
  SizePolynomial rows = batch * queries * outputHeads;
  bool readsWeights = op.getWeights() || op.hasPostmix();
  SizePolynomial scaled = readsWeights ? scores : rows * features;
  Cost cost = sumsComponents() ? uncounted(scores * 2, 0)
                               : uncounted(scores * 3, scores);
  cost += uncounted(rows + scaled, op.getLse() ? rows : 0);
  // exp(a) / (1 + exp(-a)): one more exponential, addition and division.
  if (op.getSigsoftmax())
    cost += uncounted(scores * 2, scores);
  return cost;
}

/// Weights of heads to weights of heads, with one mixer or one for each row.
Cost AttentionCounter::postmix() {
  if (!op.hasPostmix())
    return {};
  Cost cost = productSum(outputHeads) * pairs * outputHeads;
  if (Value weight = op.getMixWeight())
    cost += productSum(sizes.size(weight, 0), true) * batch * queries *
            outputHeads * outputHeads;
  return cost;
}

Cost AttentionCounter::pool() {
  if (op.getResult().use_empty())
    return {};
  return productSum(keys) * batch * queries * outputHeads * features;
}

StageCosts AttentionCounter::count() {
  StageCosts stages;
  addStage(stages, "project", project());
  addStage(stages, "scores", scores());
  addStage(stages, "combine", combine());
  addStage(stages, "noise", noise());
  addStage(stages, "premix", premix());
  addStage(stages, "modify", modify());
  addStage(stages, "normalise", normalise());
  addStage(stages, "postmix", postmix());
  addStage(stages, "pool", pool());
  return stages;
}

StageCosts mixattn::countAttention(AttentionOpInterface op,
                                   const Sizes &sizes) {
  return AttentionCounter(op, sizes).count();
}

StageCosts mixattn::countShares(ScoreOpInterface op, const Sizes &sizes) {
  StageCosts stages;
  ScoreCounter counter(op, sizes);
  addStage(stages, "scores", counter.scores());
  addStage(stages, "shares", counter.shares());
  return stages;
}
