// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Answers to the questions that passes ask of an attention op.

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

#include "dialect/attn/AttnInterfaces.cpp.inc"

int64_t AttentionOpInterface::getNumHeads() {
  return detail::getOutputHeads(getQuery(), getPremixer(), getW2());
}

bool AttentionOpInterface::hasComponents() {
  auto hasRank = [](Value value, int64_t rank) {
    return value && cast<RankedTensorType>(value.getType()).getRank() == rank;
  };
  return hasRank(getKey(), 5) || getShifts() || hasRank(getQueryTerm(), 4) ||
         hasRank(getKeyTerm(), 4);
}

int64_t AttentionOpInterface::getNumComponents() {
  if (getKeyType().getRank() == 5)
    return getKeyType().getDimSize(2);
  if (Value shifts = getShifts())
    return cast<RankedTensorType>(shifts.getType()).getDimSize(1);
  for (Value term : {getQueryTerm(), getKeyTerm()})
    if (term && cast<RankedTensorType>(term.getType()).getRank() == 4)
      return cast<RankedTensorType>(term.getType()).getDimSize(2);
  return 1;
}

double AttentionOpInterface::getVariance(int64_t r) {
  if (std::optional<ArrayRef<double>> variances = getVariances())
    return (*variances)[variances->size() == 1 ? 0 : r];
  int64_t features = getQueryType().getDimSize(3);
  return features == 0 ? 1.0 : std::sqrt(double(features));
}

double AttentionOpInterface::getScaleOrDefault() {
  if (std::optional<APFloat> scale = getScale())
    return scale->convertToDouble();
  int64_t features = getQueryType().getDimSize(3);
  if (getGaussian() || getVariances() || features == 0)
    return 1.0;
  return 1.0 / std::sqrt(double(features));
}

/// Whether a score_mod yields the score plus something that ignores it.
static bool onlyAddsToScore(Region &region) {
  Value score = region.getArgument(0);
  // Values that depend on the score, and those of them that are it plus a term.
  DenseSet<Value> dependent = {score}, shifted = {score};
  for (Operation &op : region.front().without_terminator()) {
    auto depends = [&](Value value) { return dependent.contains(value); };
    if (llvm::none_of(op.getOperands(), depends))
      continue;
    dependent.insert_range(op.getResults());
    if (!isa<arith::AddFOp, arith::SubFOp>(op))
      continue;
    Value left = op.getOperand(0), right = op.getOperand(1);
    if (isa<arith::AddFOp>(op) && depends(right))
      std::swap(left, right);
    if (shifted.contains(left) && !depends(right))
      shifted.insert(op.getResult(0));
  }
  return shifted.contains(
      cast<YieldOp>(region.front().getTerminator()).getScore());
}

bool AttentionOpInterface::isRowShiftInvariant() {
  // Logsumexp, the maximum and a linear mixer pass a shift on; an MLP, a ReLU
  // and other regions see it, and so does whoever reads lse.
  return !getW1() && !getReluPerKey() && !getLse() &&
         (!hasScoreMod() || onlyAddsToScore(getScoreMod()));
}
