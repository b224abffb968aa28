// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types, sizes and constraints of the ops of the training side.

#include "dialect/attn/VerifyShapes.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::detail;

static Type elementType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

/// A tensor whose sizes are those of `dims`.
static Type inferSized(ArrayRef<OperandDim> dims, Type element) {
  return RankedTensorType::get(
      llvm::map_to_vector(dims, [](OperandDim of) { return of.size(); }),
      element);
}

// The functions below take the op itself or its adaptor.

template <typename Operands>
static SmallVector<OperandDim> getShareDims(Operands op) {
  Value query = op.getQuery(), key = op.getKey(), shifts = op.getShifts();
  unsigned rank = cast<RankedTensorType>(key.getType()).getRank();
  // Keys of rank 4 without shifts, which the verifier refuses, have as many
  // components as heads here, and not a size that is out of bounds.
  OperandDim components =
      rank == 5 || !shifts ? OperandDim{key, rank - 3} : OperandDim{shifts, 1};
  return {{query, 0}, {query, 1}, components, {query, 2}, {key, rank - 2}};
}

template <typename Operands>
static SmallVector<OperandDim> getPriorDims(Operands op) {
  Value gamma = op.getResponsibilities();
  SmallVector<OperandDim> dims = {{gamma, 1}, {gamma, 2}};
  if (op.getPerKey())
    dims.push_back({gamma, 4});
  return dims;
}

//===----------------------------------------------------------------------===//
// attn.responsibilities
//===----------------------------------------------------------------------===//

SmallVector<OperandDim> ResponsibilitiesOp::getResultDims() {
  return getShareDims(*this);
}

LogicalResult
ResponsibilitiesOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  // C11
  types.push_back(
      inferSized(getShareDims(adaptor), elementType(adaptor.getKey())));
  return success();
}

LogicalResult ResponsibilitiesOp::verify() {
  auto scored = cast<ScoreOpInterface>(getOperation());
  // C21
  if (!scored.hasComponents())
    return emitOpError("expected keys with components, or 'shifts'");
  if (failed(verifyScores(scored)))
    return failure();
  // C8
  if (Value mask = getMask()) {
    OperandDim batch = scored.getBatchDim(), queries = scored.getQueriesDim(),
               keys = scored.getKeysDim();
    if (failed(verifyBroadcast(*this, {"mask", mask},
                               {batch.size(), scored.getNumQueryHeads(),
                                queries.size(), keys.size()})))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// attn.prior_update
//===----------------------------------------------------------------------===//

SmallVector<OperandDim> PriorUpdateOp::getResultDims() {
  return getPriorDims(*this);
}

LogicalResult PriorUpdateOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location>,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  // C3
  types.push_back(inferSized(getPriorDims(adaptor),
                             elementType(adaptor.getResponsibilities())));
  return success();
}

LogicalResult PriorUpdateOp::verify() {
  Party gamma{"responsibilities", getResponsibilities()};
  // C1
  if (failed(verifyStatic(*this, gamma, 1, "heads")) ||
      failed(verifyStatic(*this, gamma, 2, "components")))
    return failure();
  // C2
  ArrayRef<int64_t> shape = gamma.type().getShape();
  if (shape[0] == 0 || shape[3] == 0 || (shape[4] == 0 && !getPerKey())) {
    InFlightDiagnostic error =
        emitOpError("expected a mean over something, but got ") << gamma.type();
    return noteDefinition(error, gamma);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// attn.orthogonal_penalty
//===----------------------------------------------------------------------===//

SmallVector<OperandDim> OrthogonalPenaltyOp::getResultDims() { return {}; }

LogicalResult
OrthogonalPenaltyOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  // C1
  types.push_back(inferSized({}, elementType(adaptor.getMixer())));
  return success();
}
