// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts one linear attention, stage by stage.

#include "passes/plan/CostTerms.h"
#include "passes/plan/OpCost.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Counts the stages of a linear attention.
class LinearCounter {
public:
  LinearCounter(LinearAttentionOpInterface op, const Sizes &sizes)
      : op(op), sizes(sizes), heads(op.getNumHeads()),
        keyHeads(op.getNumKeyHeads()), components(op.getNumComponents()),
        features(op.getNumFeatures()), batch(sizeOf(op.getBatchDim())),
        queries(sizeOf(op.getQueriesDim())), keys(sizeOf(op.getKeysDim())),
        width(sizes.size(op.getValue(), 3)) {}

  StageCosts count();

private:
  SizePolynomial sizeOf(OperandDim dim) const {
    return sizes.size(dim.value, dim.dim);
  }
  Cost featureMap();
  Cost makeFeatures();
  Cost combine();
  Cost state();
  Cost premix();
  Cost pool();

  LinearAttentionOpInterface op;
  const Sizes &sizes;
  int64_t heads, keyHeads, components, features;
  /// Batch rows, queries, keys, features of values.
  SizePolynomial batch, queries, keys, width;
};

} // namespace

/// Features of one query or key. The papers count the projection alone.
Cost LinearCounter::featureMap() {
  std::optional<FeatureMapAttr> map = op.getFeatureMap();
  SizePolynomial inputs = sizes.size(op.getQuery(), 3);
  if (!map)
    return {};
  switch (map->getKind()) {
  case FeatureKind::Elu:
    return uncounted(inputs, inputs);
  case FeatureKind::NormalizedElu:
    return uncounted(inputs * 3, inputs);
  case FeatureKind::Relu:
    return uncounted(inputs, 0);
  case FeatureKind::Dpfp:
    return uncounted(inputs * 2 + features, 0);
  case FeatureKind::Favor: {
    // The projection, the squared norm, an exponential each with its offset
    // and factor.
    Cost cost = productSum(inputs) * sizes.size(op.getProjection(), 1);
    cost.multiplyAdds += inputs;
    return cost + uncounted(features * 3, features);
  }
  }
  llvm_unreachable("all feature maps are counted");
}

Cost LinearCounter::makeFeatures() {
  SizePolynomial keyRows = batch * keys * (keyHeads * components);
  Cost cost = featureMap() * (batch * queries * heads + keyRows);
  if (op.getShifts())
    cost += arithmetic(keyRows * sizes.size(op.getQuery(), 3));
  return cost;
}

/// Components to one. Priors are no operations of the papers.
Cost LinearCounter::combine() {
  if (!op.hasComponents())
    return {};
  Cost cost = arithmetic(components - 1);
  if (op.getPrior()) {
    cost = productSum(components);
    cost.operations = components - 1;
  }
  return cost * batch * keys * keyHeads * features;
}

/// Sums over keys of features times values, and of features.
Cost LinearCounter::state() {
  Cost sums = arithmetic(keys - 1);
  return (productSum(keys) * width + sums) * batch * keyHeads * features;
}

/// States of key heads to states of query heads: once, or for each query where
/// each sees other keys.
Cost LinearCounter::premix() {
  if (!op.hasPremix())
    return {};
  Cost denominators = productSum(keyHeads) * heads;
  Cost mixed = denominators;
  if (Value hidden = op.getB1()) {
    SizePolynomial units = sizes.size(hidden, 0);
    mixed = productSum(keyHeads, true) * units + uncounted(units, 0) +
            productSum(units, true) * heads;
  }
  SizePolynomial states = op.getCausal() ? batch * queries : batch;
  return (mixed * width + denominators) * states * features;
}

/// Numerators, denominators with eps, and their quotients.
Cost LinearCounter::pool() {
  Cost cost = productSum(features) * (width + 1) + uncounted(width, 0);
  if (!op.getEps().isZero())
    cost += arithmetic(1);
  if (!op.getOutputScale().isExactlyValue(1.0))
    cost += uncounted(width, 0);
  return cost * batch * queries * heads;
}

StageCosts LinearCounter::count() {
  StageCosts stages;
  addStage(stages, "features", makeFeatures());
  addStage(stages, "combine", combine());
  addStage(stages, "state", state());
  addStage(stages, "premix", premix());
  addStage(stages, "pool", pool());
  return stages;
}

StageCosts mixattn::countLinearAttention(LinearAttentionOpInterface op,
                                         const Sizes &sizes) {
  return LinearCounter(op, sizes).count();
}
