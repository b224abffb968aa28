// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages of an attention that passes over its keys twice: sizes, constraints.

#include "dialect/attn/AttentionStage.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::detail;

/// Checks that two numbers of each row are [B,H,N] of the results of `generic`.
static LogicalResult verifyNumbers(Operation *op, GenericOp generic,
                                   Value references, Value factors) {
  return success(
      succeeded(verifyRows(op, generic, {"references", references})) &&
      succeeded(verifyRows(op, generic, {"factors", factors})));
}

//===----------------------------------------------------------------------===//
// attn.softmax_factors
//===----------------------------------------------------------------------===//

GenericOp SoftmaxFactorsOp::getGeneric() {
  return findAttention(getAttention());
}

LogicalResult SoftmaxFactorsOp::verifyRegions() {
  if (failed(verifyAttention(*this)))
    return failure();
  // C2
  return verifyNumbers(*this, getGeneric(), getReferences(), getFactors());
}

LogicalResult
SoftmaxFactorsOp::reifyResultShapes(OpBuilder &b,
                                    ReifiedRankedShapedTypeDims &shapes) {
  reifyResults(b, getGeneric(), getOperation()->getResults(), shapes);
  return success();
}

//===----------------------------------------------------------------------===//
// attn.pool_mixed
//===----------------------------------------------------------------------===//

GenericOp PoolMixedOp::getGeneric() { return findAttention(getAttention()); }

LogicalResult PoolMixedOp::verifyRegions() {
  if (failed(verifyAttention(*this)))
    return failure();
  GenericOp generic = getGeneric();
  // C4
  if (!AttentionOpInterface(generic).hasPostmix())
    return emitOpError("expected an attention that mixes weights");
  // C2, C3
  return success(
      succeeded(verifyNumbers(*this, generic, getReferences(), getFactors())) &&
      succeeded(verifyResults(*this, generic)));
}

LogicalResult
PoolMixedOp::reifyResultShapes(OpBuilder &b,
                               ReifiedRankedShapedTypeDims &shapes) {
  reifyResults(b, getGeneric(), getOperation()->getResults(), shapes);
  return success();
}
