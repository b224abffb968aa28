// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How operands of an attention change over queries and keys.

#include "passes/body/OperandExtents.h"

#include "dialect/attn/ScoreMod.h"

using namespace mlir;
using namespace mixattn;

Extent mixattn::extentOf(RankedTensorType type) {
  int64_t rank = type.getRank();
  bool isByKey = rank >= 1 && type.getDimSize(rank - 1) != 1;
  bool isByQuery = rank >= 2 && type.getDimSize(rank - 2) != 1;
  if (isByQuery)
    return isByKey ? Extent::PerPair : Extent::PerQuery;
  return isByKey ? Extent::PerKey : Extent::Uniform;
}

/// Whether the score_mod of `op` reads `operand`, at places of its own.
static bool isCaptured(AttentionOpInterface op, Value operand) {
  return op.hasScoreMod() &&
         llvm::any_of(operand.getUsers(), [&](Operation *user) {
           return op.getScoreMod().isAncestor(user->getParentRegion());
         });
}

SmallVector<Value> mixattn::getPairOperands(AttentionOpInterface op) {
  SmallVector<Value> found;
  for (Value operand :
       {op.getGivenScores(), op.getBias(), op.getMask(), op.getNoise()})
    if (operand && !isCaptured(op, operand) &&
        extentOf(cast<RankedTensorType>(operand.getType())) == Extent::PerPair)
      found.push_back(operand);
  return found;
}

bool mixattn::mayHideKeys(AttentionOpInterface op) {
  constexpr int64_t rankByKey = 3;
  Value prior = op.getPrior();
  return op.getMask() || op.getBias() || op.getGivenScores() ||
         (prior &&
          cast<RankedTensorType>(prior.getType()).getRank() == rankByKey) ||
         (op.hasScoreMod() && scoreModMayHideKeys(op.getScoreMod()));
}
