// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types, sizes and normal form of linear attention ops.

#include "dialect/attn/AttnLinearOps.h"

using namespace mlir;
using namespace mixattn;

//===----------------------------------------------------------------------===//
// Features and components
//===----------------------------------------------------------------------===//

int64_t mixattn::detail::getNumKeyComponents(Value key, Value shifts) {
  auto type = cast<RankedTensorType>(key.getType());
  if (type.getRank() == 5)
    return type.getDimSize(2);
  return shifts ? cast<RankedTensorType>(shifts.getType()).getDimSize(1) : 1;
}

int64_t mixattn::getNumFeatures(FeatureOpInterface op, int64_t inputs) {
  if (std::optional<FeatureMapAttr> map = op.getFeatureMap()) {
    if (map->getKind() == FeatureKind::Dpfp)
      return 2 * inputs * map->getRolls();
    if (Value projection = op.getProjection())
      return 2 * cast<RankedTensorType>(projection.getType()).getDimSize(1);
  }
  return inputs;
}

int64_t LinearAttentionOpInterface::getNumFeatures() {
  return mixattn::getNumFeatures(*this, getQueryType().getDimSize(3));
}

//===----------------------------------------------------------------------===//
// Types and sizes
//===----------------------------------------------------------------------===//

// C10
SmallVector<OperandDim> mixattn::detail::getLinearDims(Value query, Value key,
                                                       Value value) {
  // The batch is static where any of the operands says so.
  OperandDim batch = {query, 0};
  for (OperandDim other : {OperandDim{key, 0}, OperandDim{value, 0}})
    if (ShapedType::isDynamic(batch.size()) &&
        !ShapedType::isDynamic(other.size()))
      batch = other;
  return {batch, {query, 1}, {query, 2}, {value, 3}};
}

Type mixattn::detail::inferLinearType(Value query, Value key, Value value) {
  SmallVector<int64_t> shape;
  for (OperandDim of : getLinearDims(query, key, value))
    shape.push_back(of.size());
  auto type = cast<RankedTensorType>(value.getType());
  return RankedTensorType::get(shape, type.getElementType());
}

SmallVector<std::pair<OperandDim, OperandDim>>
mixattn::detail::getLinearTies(LinearAttentionOpInterface op) {
  SmallVector<std::pair<OperandDim, OperandDim>> equal;
  Value query = op.getQuery(), key = op.getKey(), value = op.getValue();
  auto tie = [&](Value a, unsigned aDim, Value b, unsigned bDim) {
    if (b)
      equal.push_back({{a, aDim}, {b, bDim}});
  };
  OperandDim keys = op.getKeysDim();
  tie(query, 0, key, 0);
  tie(query, 0, value, 0);
  tie(query, 0, op.getLengths(), 0);
  tie(keys.value, keys.dim, value, 2);
  tie(query, 3, op.getProjection(), 0);
  Value shifts = op.getShifts(), prior = op.getPrior();
  tie(key, 1, shifts, 0);
  tie(query, 3, shifts, 2);
  tie(key, 1, prior, 0);
  if (prior)
    tie(shifts ? shifts : key, shifts ? 1 : 2, prior, 1);
  if (prior && cast<RankedTensorType>(prior.getType()).getRank() == 3)
    tie(keys.value, keys.dim, prior, 2);
  Value w1 = op.getW1(), w2 = op.getW2();
  for (Value rows : {op.getPremixer(), w1, op.getNormaliser()})
    tie(key, 1, rows, 0);
  for (Value columns : {op.getPremixer(), w2, op.getNormaliser()})
    tie(query, 1, columns, 1);
  if (w1) {
    tie(w1, 1, op.getB1(), 0);
    tie(w1, 1, w2, 0);
  }
  tie(query, 1, op.getB2(), 0);
  return equal;
}

//===----------------------------------------------------------------------===//
// Normal form
//===----------------------------------------------------------------------===//

/// Every clause that a named op has is a clause of the normal form.
static void generalizeLinear(LinearAttentionOpInterface op,
                             RewriterBase &rewriter) {
  auto generic = LinearGenericOp::create(
      rewriter, op->getLoc(), op.getResult().getType(), op.getQuery(),
      op.getKey(), op.getValue(), op.getShifts(), op.getPrior(),
      op.getPremixer(), op.getW1(), op.getB1(), op.getW2(), op.getB2(),
      op.getNormaliser(), op.getFeatureMap().value_or(FeatureMapAttr()),
      op.getProjection(), op.getLengths(), op.getCausal(), op.getEps(),
      op.getOutputScale());
  generic->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.replaceOp(op, generic);
}

void LinearOp::generalize(RewriterBase &rewriter) {
  generalizeLinear(*this, rewriter);
}

void LinearMixtureOfKeysOp::generalize(RewriterBase &rewriter) {
  generalizeLinear(*this, rewriter);
}

void LinearAdmixtureHeadsOp::generalize(RewriterBase &rewriter) {
  generalizeLinear(*this, rewriter);
}
