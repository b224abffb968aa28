// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the loops of contractions.

#include "dialect/attn/Contraction.h"

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

std::optional<unsigned> mixattn::findLoop(AffineMap map, unsigned loop) {
  return map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
}

OperandDim Contraction::dimOf(unsigned loop) const {
  if (std::optional<unsigned> dim = findLoop(leftMap, loop))
    return {left, *dim};
  return {right, *findLoop(rightMap, loop)};
}

/// The innermost of `loops` in `map`, or none.
static std::optional<unsigned> innermostOf(AffineMap map,
                                           ArrayRef<unsigned> loops) {
  for (AffineExpr expr : llvm::reverse(map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (llvm::is_contained(loops, loop))
      return loop;
  }
  return std::nullopt;
}

std::optional<Contraction> mixattn::findContraction(Operation *op) {
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  if (!linalg || !linalg::isaContractionOpInterface(linalg) ||
      !isa<FloatType>(getElementTypeOrSelf(linalg.getDpsInits()[0])))
    return std::nullopt;
  FailureOr<linalg::ContractionDimensions> loops =
      linalg::inferContractionDims(linalg);
  if (failed(loops))
    return std::nullopt;
  SmallVector<AffineMap> maps = linalg.getIndexingMapsArray();
  AffineMap result = maps[2];
  if (!result.isProjectedPermutation() || result.getNumResults() < 2)
    return std::nullopt;
  unsigned lane = cast<AffineDimExpr>(result.getResults().back()).getPosition();
  Contraction found;
  found.op = linalg;
  // The one that has the lanes is the right one.
  bool isSwapped = llvm::is_contained(loops->m, lane);
  if (!isSwapped && !llvm::is_contained(loops->n, lane))
    return std::nullopt;
  found.left = linalg.getDpsInputs()[isSwapped];
  found.right = linalg.getDpsInputs()[!isSwapped];
  found.leftMap = maps[isSwapped];
  found.rightMap = maps[!isSwapped];
  found.resultMap = result;
  found.lane = lane;
  std::optional<unsigned> row =
      innermostOf(result, isSwapped ? loops->n : loops->m);
  std::optional<unsigned> depth = innermostOf(found.leftMap, loops->k);
  if (!row || !depth)
    return std::nullopt;
  found.row = *row;
  found.depth = *depth;
  for (unsigned loop : loops->k)
    if (loop != *depth)
      found.otherDepths.push_back(loop);
  for (AffineExpr expr : result.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (loop != lane && loop != *row)
      found.others.push_back(loop);
  }
  return found;
}
