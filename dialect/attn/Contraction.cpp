// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the loops of contractions.

#include "dialect/attn/Contraction.h"

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/Matchers.h"
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

bool Contraction::beginsWithZeros() const {
  auto fill =
      linalg::LinalgOp(op).getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

/// Those of `loops` in the order in which `map` has them.
static Contraction::Loops sorted(AffineMap map, ArrayRef<unsigned> loops) {
  Contraction::Loops found;
  for (AffineExpr expr : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (llvm::is_contained(loops, loop))
      found.push_back(loop);
  }
  return found;
}

std::optional<Contraction> mixattn::findContraction(Operation *op) {
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  if (!linalg || !linalg.hasPureTensorSemantics() ||
      !linalg::isaContractionOpInterface(linalg))
    return std::nullopt;
  Type sum = getElementTypeOrSelf(linalg.getDpsInits()[0]);
  if (!isa<FloatType>(sum) || sum.isF64())
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
  found.rows = sorted(found.leftMap, isSwapped ? loops->n : loops->m);
  found.lanes = sorted(found.rightMap, isSwapped ? loops->m : loops->n);
  found.depths = sorted(found.leftMap, loops->k);
  found.batches = sorted(result, loops->batch);
  llvm::erase(found.lanes, lane);
  found.lanes.push_back(lane);
  if (found.rows.empty() || found.depths.empty())
    return std::nullopt;
  return found;
}
