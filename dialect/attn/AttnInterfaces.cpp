// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Answers to the questions that passes ask of an attention op.

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

#include "dialect/attn/AttnInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// ScoreOpInterface
//===----------------------------------------------------------------------===//

int64_t mixattn::detail::getNumQueryHeads(Operation *op) {
  return OperandDim{getBatchDim(op).value, 1}.size();
}

int64_t mixattn::detail::getKeyGroup(Operation *op) {
  auto scored = cast<ScoreOpInterface>(op);
  // Nothing is shared by heads whose scores are given.
  return scored.getGivenScores()
             ? 1
             : getNumQueryHeads(op) / scored.getKeyType().getDimSize(1);
}

static bool hasRank(Value value, int64_t rank) {
  return value && cast<RankedTensorType>(value.getType()).getRank() == rank;
}

bool mixattn::detail::hasComponents(Operation *op) {
  auto scored = cast<ScoreOpInterface>(op);
  return hasRank(scored.getKey(), 5) || scored.getShifts() ||
         hasRank(scored.getQueryTerm(), 4) || hasRank(scored.getKeyTerm(), 4);
}

int64_t mixattn::detail::getNumComponents(Operation *op) {
  auto scored = cast<ScoreOpInterface>(op);
  if (hasRank(scored.getKey(), 5))
    return scored.getKeyType().getDimSize(2);
  if (Value shifts = scored.getShifts())
    return cast<RankedTensorType>(shifts.getType()).getDimSize(1);
  for (Value term : {scored.getQueryTerm(), scored.getKeyTerm()})
    if (hasRank(term, 4))
      return cast<RankedTensorType>(term.getType()).getDimSize(2);
  return 1;
}

double mixattn::detail::getVariance(Operation *op, int64_t r) {
  auto scored = cast<ScoreOpInterface>(op);
  if (std::optional<ArrayRef<double>> variances = scored.getVariances())
    return (*variances)[variances->size() == 1 ? 0 : r];
  int64_t features = scored.getQueryType().getDimSize(3);
  return features == 0 ? 1.0 : std::sqrt(double(features));
}

//===----------------------------------------------------------------------===//
// AttentionOpInterface
//===----------------------------------------------------------------------===//

int64_t AttentionOpInterface::getNumHeads() {
  return detail::getOutputHeads(getNamedOperands());
}

double AttentionOpInterface::getScaleOrDefault() {
  if (std::optional<APFloat> scale = getScale())
    return scale->convertToDouble();
  if (getGivenScores() || getGaussian() || getVariances())
    return 1.0;
  int64_t features = getQueryType().getDimSize(3);
  if (features == 0)
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
  // Logsumexp, the maximum and a linear mixer pass a shift on; an MLP, a ReLU,
  // a sigmoid and other regions see it, and so does whoever reads lse.
  return !getW1() && !getReluPerKey() && !getSigsoftmax() && !getLse() &&
         (!hasScoreMod() || onlyAddsToScore(getScoreMod()));
}
