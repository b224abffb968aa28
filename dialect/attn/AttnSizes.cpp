// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of attention ops: which operands have them, which are equal, and
// the types of results that follow.

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

/// Size `dim` of `value`, counted from the end where it is negative; dynamic
/// where there is no such dimension.
static int64_t sizeOf(Value value, int64_t dim) {
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : nullptr;
  if (!type)
    return ShapedType::kDynamic;
  if (dim < 0)
    dim += type.getRank();
  return dim >= 0 && dim < type.getRank() ? type.getDimSize(dim)
                                          : ShapedType::kDynamic;
}

//===----------------------------------------------------------------------===//
// Operands that have the sizes
//===----------------------------------------------------------------------===//

static int64_t rankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

OperandDim mixattn::detail::getBatchDim(Operation *op) {
  auto scored = cast<ScoreOpInterface>(op);
  Value given = scored.getGivenScores();
  return {given ? given : scored.getQuery(), 0};
}

OperandDim mixattn::detail::getQueriesDim(Operation *op) {
  auto scored = cast<ScoreOpInterface>(op);
  Value given = scored.getGivenScores();
  return {given ? given : scored.getQuery(), 2};
}

/// The dimension that counts keys: of the first that is there.
static OperandDim keysDimOf(Value given, Value projection, Value key) {
  if (given)
    return {given, 3};
  if (projection)
    return {projection, 0};
  auto type = dyn_cast<RankedTensorType>(key.getType());
  return {key, type ? unsigned(type.getRank() - 2) : 0};
}

OperandDim mixattn::detail::getKeysDim(Operation *op) {
  auto scored = cast<ScoreOpInterface>(op);
  return keysDimOf(scored.getGivenScores(), scored.getKeyProjection(),
                   scored.getKey());
}

int64_t mixattn::detail::getOutputHeads(const NamedOperands &operands) {
  if (Value mixer = operands["premixer"]) {
    auto type = dyn_cast<RankedTensorType>(mixer.getType());
    bool isShared = type && type.getRank() == 1;
    return sizeOf(isShared ? operands["value"] : mixer, 1);
  }
  if (Value w2 = operands["w2"])
    return sizeOf(w2, 1);
  Value query = operands["query"];
  return sizeOf(query ? query : operands["given_scores"], 1);
}

//===----------------------------------------------------------------------===//
// Types and sizes of results
//===----------------------------------------------------------------------===//

LogicalResult
mixattn::detail::inferAttentionTypes(const NamedOperands &operands,
                                     ArrayRef<int32_t> segments,
                                     SmallVectorImpl<Type> &types) {
  Value query = operands["query"], key = operands["key"],
        value = operands["value"], given = operands["given_scores"];
  auto valueType = dyn_cast<RankedTensorType>(value.getType());
  Value rows = query ? query : given, columns = key ? key : given;
  if (!rows || !columns || !valueType || valueType.getRank() != 4)
    return failure();
  int64_t batch = ShapedType::kDynamic;
  for (Value operand : {rows, columns, value})
    if (!ShapedType::isDynamic(sizeOf(operand, 0)))
      batch = sizeOf(operand, 0);
  int64_t heads = getOutputHeads(operands), queries = sizeOf(rows, 2);
  OperandDim keysDim = keysDimOf(given, operands["key_projection"], key);
  int64_t keys = sizeOf(keysDim.value, keysDim.dim);
  Type f32 = Float32Type::get(valueType.getContext());
  types.push_back(
      RankedTensorType::get({batch, heads, queries, valueType.getDimSize(3)},
                            valueType.getElementType()));
  if (segments[1])
    types.push_back(RankedTensorType::get({batch, heads, queries, keys}, f32));
  if (segments[2])
    types.push_back(RankedTensorType::get({batch, heads, queries}, f32));
  return success();
}

bool mixattn::detail::areCompatibleAttentionTypes(TypeRange inferred,
                                                  TypeRange given,
                                                  bool mayBeWide,
                                                  bool mayBeNarrow) {
  return inferred.size() == given.size() &&
         llvm::all_of(llvm::zip_equal(inferred, given), [&](auto pair) {
           auto a = cast<RankedTensorType>(std::get<0>(pair));
           auto b = dyn_cast<RankedTensorType>(std::get<1>(pair));
           return b &&
                  (a.getElementType() == b.getElementType() ||
                   (mayBeWide && b.getElementType().isF32()) ||
                   (mayBeNarrow && a.getElementType().isF32() &&
                    isa<FloatType>(b.getElementType()))) &&
                  succeeded(verifyCompatibleShape(a, b));
         });
}

LogicalResult
mixattn::detail::reifyAttentionShapes(OpBuilder &builder, Operation *op,
                                      ReifiedRankedShapedTypeDims &shapes) {
  auto attention = cast<AttentionOpInterface>(op);
  Location loc = op->getLoc();
  auto sizeOf = [&](OperandDim of) {
    return tensor::getMixedSize(builder, loc, of.value, of.dim);
  };
  OpFoldResult batch = sizeOf(attention.getBatchDim());
  OpFoldResult heads = builder.getIndexAttr(attention.getNumHeads());
  OpFoldResult queries = sizeOf(attention.getQueriesDim());
  OpFoldResult keys = sizeOf(attention.getKeysDim());
  OpFoldResult features =
      tensor::getMixedSize(builder, loc, attention.getValue(), 3);
  auto reify = [&](Value result, ArrayRef<OpFoldResult> sizes) {
    // Where a result's type says more than the operands do, it holds.
    auto type = cast<RankedTensorType>(result.getType());
    shapes.emplace_back(sizes);
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!type.isDynamicDim(dim))
        shapes.back()[dim] = builder.getIndexAttr(type.getDimSize(dim));
  };
  reify(attention.getResult(), {batch, heads, queries, features});
  if (Value weights = attention.getWeights())
    reify(weights, {batch, heads, queries, keys});
  if (Value lse = attention.getLse())
    reify(lse, {batch, heads, queries});
  return success();
}

//===----------------------------------------------------------------------===//
// Sizes that are equal
//===----------------------------------------------------------------------===//

namespace {

/// Collects pairs of dimensions that are equal.
class EqualDims {
public:
  SmallVector<std::pair<OperandDim, OperandDim>> pairs;

  void addScores(ScoreOpInterface op);
  void addAttention(AttentionOpInterface op);
  void addBroadcast(Value wide, ArrayRef<OperandDim> sizes);

private:
  void add(OperandDim first, OperandDim second) {
    pairs.emplace_back(first, second);
  }
  void addMixers(AttentionOpInterface op);
};

} // namespace

/// `wide` broadcasts from the right to [B,H,N,S], whose sizes are `sizes`.
void EqualDims::addBroadcast(Value wide, ArrayRef<OperandDim> sizes) {
  if (!wide)
    return;
  auto type = cast<RankedTensorType>(wide.getType());
  // A static 1 repeats.
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (type.getDimSize(dim) != 1)
      add(sizes[dim + sizes.size() - type.getRank()], {wide, dim});
}

void EqualDims::addScores(ScoreOpInterface op) {
  OperandDim batch = op.getBatchDim(), keys = op.getKeysDim();
  for (Value each : {op.getLengths(), op.getStart()})
    if (each)
      add(batch, {each, 0});
  Value query = op.getQuery(), key = op.getKey();
  if (!query)
    return;
  add({query, 0}, {key, 0});
  // Terms begin with batch and heads and end with the length.
  unsigned keyLength = op.getKeyType().getRank() - 2;
  for (auto [term, of, dim] : {std::tuple(op.getQueryTerm(), query, 2u),
                               std::tuple(op.getKeyTerm(), key, keyLength)})
    if (term) {
      add({query, 0}, {term, 0});
      add({of, 1}, {term, 1});
      add({of, dim}, {term, unsigned(rankOf(term) - 1)});
    }
  if (Value shifts = op.getShifts()) {
    add({key, 1}, {shifts, 0});
    add({query, 3}, {shifts, 2});
  }
  if (Value prior = op.getPrior()) {
    add({query, 1}, {prior, 0});
    if (rankOf(prior) == 3)
      add(keys, {prior, 2});
  }
}

void EqualDims::addMixers(AttentionOpInterface op) {
  OperandDim batch = op.getBatchDim(), heads{op.getResult(), 1};
  OperandDim queryHeads{batch.value, 1};
  for (Value rows : {op.getPremixer(), op.getW1(), op.getSigma()})
    if (rows)
      add(queryHeads, {rows, 0});
  if (Value w1 = op.getW1()) {
    add({w1, 1}, {op.getB1(), 0});
    add({w1, 1}, {op.getW2(), 0});
    add({op.getW2(), 1}, {op.getB2(), 0});
  }
  if (Value noise = op.getNoise()) {
    bool isLocal = op.getNoiseKind() == NoiseKind::Local;
    OperandDim sizes[] = {batch, isLocal ? heads : queryHeads,
                          op.getQueriesDim(), op.getKeysDim()};
    for (auto [dim, of] : llvm::enumerate(sizes))
      add(of, {noise, unsigned(dim)});
  }
  // The result has the heads of the weights; they are static.
  for (Value square : {op.getMixer(), op.getMixBias()})
    for (unsigned dim = 0; square && dim < 2; ++dim)
      add(heads, {square, dim});
  if (Value source = op.getMixSource()) {
    for (unsigned dim = 0; dim < 3; ++dim)
      add({op.getResult(), dim}, {source, dim});
    add({source, 3}, {op.getMixWeight(), 0});
    add(heads, {op.getMixWeight(), 1});
  }
}

void EqualDims::addAttention(AttentionOpInterface op) {
  Value value = op.getValue(), result = op.getResult();
  OperandDim batch = op.getBatchDim(), queries = op.getQueriesDim(),
             keys = op.getKeysDim();
  add(batch, {value, 0});
  if (Value key = op.getKey())
    add({key, unsigned(op.getKeyType().getRank() - 2)}, {value, 2});
  else
    add(keys, {value, 2});
  for (Value projection : {op.getKeyProjection(), op.getValueProjection()})
    if (projection) {
      add(keys, {projection, 0});
      add({value, 2}, {projection, 1});
    }
  for (Value each : op->getResults()) {
    add(batch, {each, 0});
    add(queries, {each, 2});
  }
  add({value, 3}, {result, 3});
  if (Value weights = op.getWeights())
    add(keys, {weights, 3});
  addMixers(op);
  addBroadcast(op.getBias(), {batch, {result, 1}, queries, keys});
}

SmallVector<std::pair<OperandDim, OperandDim>>
mixattn::getEqualDims(ScoreOpInterface op) {
  EqualDims equal;
  equal.addScores(op);
  auto attention = dyn_cast<AttentionOpInterface>(op.getOperation());
  if (attention)
    equal.addAttention(attention);
  OperandDim batch = op.getBatchDim();
  OperandDim heads = attention ? OperandDim{attention.getResult(), 1}
                               : OperandDim{batch.value, 1};
  equal.addBroadcast(op.getMask(),
                     {batch, heads, op.getQueriesDim(), op.getKeysDim()});
  return equal.pairs;
}
