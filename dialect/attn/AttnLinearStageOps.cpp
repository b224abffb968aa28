// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages of linear attentions: sizes and constraints.

#include "dialect/attn/VerifyShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

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

/// Checks that `states` and `totals` are [outer..., heads F', E'] and
/// [outer..., heads F'] with static sizes, F' at least `rows` and E' at least
/// `columns`. `outer` are the batch and, if there are any, the spans.
static LogicalResult verifyStates(Operation *op, const Party &states,
                                  const Party &totals, ArrayRef<int64_t> outer,
                                  int64_t heads, int64_t rows,
                                  int64_t columns) {
  auto rank = int64_t(outer.size());
  if (states.type().getRank() != rank + 2 ||
      totals.type().getRank() != rank + 1)
    return op->emitOpError("expected '")
           << states.name << "' of rank " << rank + 2 << " and '" << totals.name
           << "' of rank " << rank + 1 << ", but got " << states.type()
           << " and " << totals.type();
  if (failed(verifyStatic(op, states, rank, "rows")) ||
      failed(verifyStatic(op, states, rank + 1, "columns")))
    return failure();
  int64_t all = states.type().getDimSize(rank);
  if (all % heads != 0 || all / heads < rows ||
      states.type().getDimSize(rank + 1) < columns)
    return op->emitOpError("expected '")
           << states.name << "' with " << heads << " times " << rows
           << " rows or more, and " << columns << " columns or more, but got "
           << states.type();
  SmallVector<int64_t> shape(outer);
  shape.push_back(all);
  if (failed(verifyShape(op, totals, shape)))
    return failure();
  shape.push_back(ShapedType::kDynamic);
  return verifyShape(op, states, shape);
}

/// Spans of `span` keys of `op`; those of one at least.
static int64_t numSpans(LinearKeysOpInterface op, int64_t span) {
  int64_t keys = op.getKeysDim().size();
  if (ShapedType::isDynamic(keys))
    return keys;
  return std::max<int64_t>(int64_t(llvm::divideCeil(keys, span)), 1);
}

static LogicalResult verifySpan(Operation *op, int64_t span) {
  if (span > 0)
    return success();
  return op->emitOpError("expected a positive 'span', but got ") << span;
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
  SmallVector<int64_t> outer = {batch};
  if (std::optional<uint64_t> span = getSpan()) {
    if (failed(verifySpan(*this, int64_t(*span)))) // C3
      return failure();
    outer.push_back(numSpans(keys, int64_t(*span)));
  }
  // C2
  if (failed(verifyStates(
          *this, {"states", getStates()}, {"totals", getTotals()}, outer,
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
  if (failed(reifyBatch(b, *this, getKey(), shapes)))
    return failure();
  std::optional<uint64_t> span = getSpan();
  if (!span || !getStates().getType().isDynamicDim(1))
    return success();
  Location loc = getLoc();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  OperandDim keys = LinearKeysOpInterface(*this).getKeysDim();
  Value before = b.createOrFold<arith::AddIOp>(
      loc, b.createOrFold<tensor::DimOp>(loc, keys.value, keys.dim),
      number(int64_t(*span) - 1));
  Value spans =
      b.createOrFold<arith::DivUIOp>(loc, before, number(int64_t(*span)));
  shapes[0][1] = shapes[1][1] =
      b.createOrFold<arith::MaxSIOp>(loc, spans, number(1));
  return success();
}

//===----------------------------------------------------------------------===//
// attn.linear_add_states
//===----------------------------------------------------------------------===//

LogicalResult LinearAddStatesOp::verify() {
  Party states{"states", getStates()}, totals{"totals", getTotals()},
      sums{"sums", getSums()}, sumTotals{"sum_totals", getSumTotals()};
  int64_t batch = states.type().getDimSize(0);
  SmallVector<int64_t> outer = {batch, states.type().getDimSize(1)};
  // C1
  if (failed(verifyStates(*this, states, totals, outer, 1, 0, 0)))
    return failure();
  // C2
  if (!getBefore())
    outer.pop_back();
  int64_t rows = states.type().getDimSize(2);
  if (failed(verifyStates(*this, sums, sumTotals, outer, 1, rows, 0)))
    return failure();
  outer.append({rows, states.type().getDimSize(3)});
  return verifyShape(*this, sums, outer);
}

LogicalResult
LinearAddStatesOp::reifyResultShapes(OpBuilder &b,
                                     ReifiedRankedShapedTypeDims &shapes) {
  for (Value of : {Value(getStates()), Value(getTotals())}) {
    SmallVector<OpFoldResult> &sizes =
        shapes.emplace_back(tensor::getMixedSizes(b, getLoc(), of));
    if (!getBefore())
      sizes.erase(sizes.begin() + 1);
  }
  return success();
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
  if (failed(verifyStates(*this, states, totals, {batch}, sources, 0, 0)) ||
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

/// Checks queries and the result, [B,Hq,N,E], of an op that reads states.
static LogicalResult verifyReader(LinearReadsOpInterface op) {
  Party query{"query", op.getQuery()}, result{"result", op.getResult()};
  for (unsigned dim : {1, 3})
    if (failed(verifyStatic(op, query, dim, dim == 1 ? "heads" : "features")))
      return failure();
  if (failed(verifyStatic(op, result, 3, "features")))
    return failure();
  ArrayRef<int64_t> shape = query.type().getShape();
  return verifyShape(
      op, result, {shape[0], shape[1], shape[2], result.type().getDimSize(3)});
}

LogicalResult LinearReadOp::verify() {
  // C1
  if (failed(verifyReader(*this)))
    return failure();
  int64_t batch = getQuery().getType().getDimSize(0),
          heads = getQuery().getType().getDimSize(1);
  // C3
  auto sources = int64_t(getHeads());
  if (sources <= 0 || (!getPremixer() && heads % sources != 0))
    return emitOpError("expected 'heads' that divide the ")
           << heads << " of 'query', but got " << sources;
  if (Value premixer = getPremixer())
    if (failed(verifyShape(*this, {"premixer", premixer}, {sources, heads})))
      return failure();
  // C2
  int64_t inputs = getQuery().getType().getDimSize(3);
  if (failed(verifyFeatures(*this, inputs)) ||
      failed(verifyStates(*this, {"states", getStates()},
                          {"totals", getTotals()}, {batch}, sources,
                          getNumFeatures(*this, inputs),
                          getResult().getType().getDimSize(3))) ||
      failed(verifyShape(*this, {"counts", getCounts()}, {batch})))
    return failure();
  // C4
  if (failed(verifyQuotient(*this)))
    return failure();
  return verifyBlock(*this, getBlock());
}

/// The sizes of `result`: the open ones are those of `query`.
static LogicalResult reifyQueries(OpBuilder &b, Value result, Value query,
                                  ReifiedRankedShapedTypeDims &shapes) {
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<OpFoldResult> &sizes = shapes.emplace_back();
  for (int64_t dim = 0; dim < 4; ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::getMixedSize(b, result.getLoc(), query, dim));
    else
      sizes.push_back(b.getIndexAttr(type.getDimSize(dim)));
  return success();
}

LogicalResult
LinearReadOp::reifyResultShapes(OpBuilder &b,
                                ReifiedRankedShapedTypeDims &shapes) {
  return reifyQueries(b, getResult(), getQuery(), shapes);
}

//===----------------------------------------------------------------------===//
// attn.linear_causal_read
//===----------------------------------------------------------------------===//

LogicalResult LinearCausalReadOp::verify() {
  // C1
  LinearKeysOpInterface keys = *this;
  if (failed(verifyStateKeys(keys)) || failed(verifyReader(*this)))
    return failure();
  int64_t batch = getQuery().getType().getDimSize(0),
          heads = getQuery().getType().getDimSize(1),
          sources = keys.getNumKeyHeads();
  // C2
  if (sources <= 0 || heads % sources != 0)
    return emitOpError("expected heads of 'key' that divide the ")
           << heads << " of 'query', but got " << sources;
  // C4
  if (failed(verifySpan(*this, int64_t(getSpan()))) ||
      failed(verifyQuotient(*this)))
    return failure();
  // C3
  int64_t spans = numSpans(keys, int64_t(getSpan()));
  return verifyStates(*this, {"states", getStates()}, {"totals", getTotals()},
                      {batch, spans}, sources,
                      getNumFeatures(keys, getQuery().getType().getDimSize(3)),
                      getResult().getType().getDimSize(3));
}

LogicalResult
LinearCausalReadOp::reifyResultShapes(OpBuilder &b,
                                      ReifiedRankedShapedTypeDims &shapes) {
  return reifyQueries(b, getResult(), getQuery(), shapes);
}
