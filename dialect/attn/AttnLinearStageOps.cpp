// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages of linear attentions: sizes and constraints.

#include "dialect/attn/VerifyShapes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::detail;

/// The sizes of the results of `op`, of which only the batch may be open: it is
/// that of `from`.
static LogicalResult reifyBatch(OpBuilder &b, Operation *op, Value from,
                                ReifiedRankedShapedTypeDims &shapes) {
  for (Type type : op->getResultTypes()) {
    SmallVector<OpFoldResult> &sizes = shapes.emplace_back();
    for (int64_t size : cast<RankedTensorType>(type).getShape())
      if (ShapedType::isDynamic(size))
        sizes.push_back(tensor::getMixedSize(b, op->getLoc(), from, 0));
      else
        sizes.push_back(b.getIndexAttr(size));
  }
  return success();
}

/// Checks that `states` and `totals` are [batch, heads F', E'] and [batch,
/// heads F'] with static sizes, F' at least `rows` and E' at least `columns`.
static LogicalResult verifyStates(Operation *op, const Party &states,
                                  const Party &totals, int64_t batch,
                                  int64_t heads, int64_t rows,
                                  int64_t columns) {
  if (failed(verifyStatic(op, states, 1, "rows")) ||
      failed(verifyStatic(op, states, 2, "columns")))
    return failure();
  int64_t all = states.type().getDimSize(1);
  if (all % heads != 0 || all / heads < rows ||
      states.type().getDimSize(2) < columns)
    return op->emitOpError("expected '")
           << states.name << "' with " << heads << " times " << rows
           << " rows or more, and " << columns << " columns or more, but got "
           << states.type();
  return success(
      succeeded(verifyShape(op, states, {batch, all, ShapedType::kDynamic})) &&
      succeeded(verifyShape(op, totals, {batch, all})));
}

static LogicalResult verifyBlock(Operation *op, int64_t block) {
  if (block > 0)
    return success();
  return op->emitOpError("expected a positive 'block', but got ") << block;
}

//===----------------------------------------------------------------------===//
// attn.linear_state
//===----------------------------------------------------------------------===//

LogicalResult LinearStateOp::verify() {
  // C1
  if (failed(verifyStateKeys(*this)))
    return failure();
  LinearKeysOpInterface keys = *this;
  int64_t batch = keys.getKeyType().getDimSize(0);
  // C2
  if (failed(verifyStates(
          *this, {"states", getStates()}, {"totals", getTotals()}, batch,
          keys.getNumKeyHeads(),
          getNumFeatures(keys, keys.getKeyType().getShape().back()),
          keys.getValueType().getDimSize(3))) ||
      failed(verifyShape(*this, {"counts", getCounts()}, {batch})))
    return failure();
  return verifyBlock(*this, getBlock()); // C3
}

LogicalResult
LinearStateOp::reifyResultShapes(OpBuilder &b,
                                 ReifiedRankedShapedTypeDims &shapes) {
  return reifyBatch(b, *this, getKey(), shapes);
}

//===----------------------------------------------------------------------===//
// attn.linear_mix_states
//===----------------------------------------------------------------------===//

LogicalResult LinearMixStatesOp::verify() {
  Party states{"states", getStates()}, totals{"totals", getTotals()};
  for (const Party &party : {Party{"w1", getW1()}, Party{"b2", getB2()}})
    if (failed(verifyStatic(*this, party, 0, "heads")))
      return failure();
  int64_t sources = getNumKeyHeads(), heads = getNumHeads();
  if (sources == 0 || heads == 0)
    return emitOpError("expected heads");
  int64_t batch = states.type().getDimSize(0);
  // C1
  if (failed(verifyStates(*this, states, totals, batch, sources, 0, 0)) ||
      // C2
      failed(verifyMlp(*this, getW1(), getB1(), getW2(), getB2(), sources,
                       heads)) ||
      failed(verifyShape(*this, {"normaliser", getNormaliser()},
                         {sources, heads})))
    return failure();
  // C3
  int64_t rows = heads * getRows();
  return success(
      succeeded(verifyShape(*this, {"mixed", getMixed()},
                            {batch, rows, states.type().getDimSize(2)})) &&
      succeeded(verifyShape(*this, {"mixed_totals", getMixedTotals()},
                            {batch, rows})));
}

LogicalResult
LinearMixStatesOp::reifyResultShapes(OpBuilder &b,
                                     ReifiedRankedShapedTypeDims &shapes) {
  return reifyBatch(b, *this, getStates(), shapes);
}

//===----------------------------------------------------------------------===//
// attn.linear_read
//===----------------------------------------------------------------------===//

LogicalResult LinearReadOp::verify() {
  Party query{"query", getQuery()}, result{"result", getResult()};
  // C1
  for (unsigned dim : {1, 3})
    if (failed(
            verifyStatic(*this, query, dim, dim == 1 ? "heads" : "features")))
      return failure();
  if (failed(verifyStatic(*this, result, 3, "features")))
    return failure();
  int64_t batch = query.type().getDimSize(0),
          heads = query.type().getDimSize(1);
  if (failed(verifyShape(*this, result,
                         {batch, heads, query.type().getDimSize(2),
                          result.type().getDimSize(3)})))
    return failure();
  // C3
  auto sources = int64_t(getHeads());
  if (sources <= 0 || (!getPremixer() && heads % sources != 0))
    return emitOpError("expected 'heads' that divide the ")
           << heads << " of 'query', but got " << sources;
  if (Value premixer = getPremixer())
    if (failed(verifyShape(*this, {"premixer", premixer}, {sources, heads})))
      return failure();
  // C2
  int64_t inputs = query.type().getDimSize(3);
  if (failed(verifyFeatures(*this, inputs)) ||
      failed(verifyStates(*this, {"states", getStates()},
                          {"totals", getTotals()}, batch, sources,
                          getNumFeatures(*this, inputs),
                          result.type().getDimSize(3))) ||
      failed(verifyShape(*this, {"counts", getCounts()}, {batch})))
    return failure();
  // C4
  if (failed(verifyQuotient(*this)))
    return failure();
  return verifyBlock(*this, getBlock());
}

LogicalResult
LinearReadOp::reifyResultShapes(OpBuilder &b,
                                ReifiedRankedShapedTypeDims &shapes) {
  auto type = cast<RankedTensorType>(getResult().getType());
  SmallVector<OpFoldResult> &sizes = shapes.emplace_back();
  for (int64_t dim = 0; dim < 4; ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::getMixedSize(b, getLoc(), getQuery(), dim));
    else
      sizes.push_back(b.getIndexAttr(type.getDimSize(dim)));
  return success();
}
