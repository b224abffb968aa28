// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of the keys of an attention: sizes and constraints.

#include "dialect/attn/AttentionStage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::detail;

/// The most parts, a multiple of four.
static constexpr int64_t mostParts = 64;

PartSizes mixattn::emitPartSizes(OpBuilder &b, Location loc, Value keys,
                                 int64_t split, int64_t block) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto multiply = [&](Value left, Value right) -> Value {
    return b.createOrFold<arith::MulIOp>(loc, left, right);
  };
  auto largest = [&](Value left, Value right) -> Value {
    return b.createOrFold<arith::MaxSIOp>(loc, left, right);
  };
  auto ceilDiv = [&](Value left, Value right) -> Value {
    Value before = b.createOrFold<arith::SubIOp>(
        loc, b.createOrFold<arith::AddIOp>(loc, left, right), number(1));
    return b.createOrFold<arith::DivUIOp>(loc, before, right);
  };
  // 1 where two parts do not hold the keys, else 0.
  Value isMore = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt,
                                               keys, number(2 * split));
  isMore = b.createOrFold<arith::ExtUIOp>(loc, b.getI64Type(), isMore);
  isMore = b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), isMore);
  Value fours = multiply(ceilDiv(keys, number(4 * split)), number(4));
  Value count = largest(ceilDiv(keys, number(split)), multiply(fours, isMore));
  count = b.createOrFold<arith::MinSIOp>(loc, count, number(mostParts));
  Value blocks =
      ceilDiv(ceilDiv(keys, number(block)), largest(count, number(1)));
  return {count, multiply(blocks, number(block))};
}

std::pair<int64_t, int64_t> mixattn::getPartSizes(int64_t keys, int64_t split,
                                                  int64_t block) {
  int64_t count = llvm::divideCeil(keys, split);
  if (count > 2)
    count = std::min(int64_t(llvm::alignTo(count, 4)), mostParts);
  int64_t blocks = llvm::divideCeil(keys, block);
  return {count, llvm::divideCeil(blocks, std::max<int64_t>(count, 1)) * block};
}

//===----------------------------------------------------------------------===//
// What stages have in common
//===----------------------------------------------------------------------===//

static LogicalResult verifySplit(Operation *op, int64_t split, int64_t block) {
  if (block > 0 && split > 0 && split % block == 0)
    return success();
  return op->emitOpError("expected 'split' to be a positive multiple of "
                         "'block', but got ")
         << split << " and " << block;
}

/// Checks that `values` are [B,H,N,parts,E'], E' static and large enough.
static LogicalResult verifyValues(Operation *op, GenericOp generic,
                                  Value values, int64_t parts) {
  Party party{"values", values};
  if (party.type().getRank() != 5 ||
      failed(verifyStatic(op, party, 4, "columns")))
    return op->emitOpError("expected 'values' of rank 5");
  int64_t columns = party.type().getDimSize(4);
  auto result = cast<RankedTensorType>(generic.getResult().getType());
  if (columns < result.getDimSize(3))
    return op->emitOpError("expected 'values' with columns for ")
           << result.getDimSize(3) << " features, but got " << party.type();
  return verifyRows(op, generic, party, {parts, columns});
}

/// The parts of the keys of `generic`.
static PartSizes reifyParts(OpBuilder &b, GenericOp generic, int64_t split,
                            int64_t block) {
  OperandDim keys = AttentionOpInterface(generic).getKeysDim();
  Value count =
      b.createOrFold<tensor::DimOp>(generic.getLoc(), keys.value, keys.dim);
  return emitPartSizes(b, generic.getLoc(), count, split, block);
}

GenericOp PartsOp::getGeneric() { return findAttention(getAttention()); }
GenericOp PoolPartsOp::getGeneric() { return findAttention(getAttention()); }
GenericOp MergePartsOp::getGeneric() { return findAttention(getAttention()); }

//===----------------------------------------------------------------------===//
// attn.parts
//===----------------------------------------------------------------------===//

LogicalResult PartsOp::verifyRegions() {
  if (failed(verifyAttention(*this)) ||
      failed(verifySplit(*this, getSplit(), getBlock())))
    return failure();
  // C3
  GenericOp generic = getGeneric();
  int64_t parts = getReferences().getType().getDimSize(3);
  for (const Party &party :
       {Party{"references", getReferences()}, Party{"sums", getSums()}})
    if (failed(verifyRows(*this, generic, party, parts)))
      return failure();
  if (!AttentionOpInterface(generic).hasPostmix())
    return verifyValues(*this, generic, getValues(), parts);
  Party powers{"values", getValues()};
  if (powers.type().getRank() != 4)
    return emitOpError("expected 'values' of rank 4: powers, which are mixed");
  return verifyRows(*this, generic, powers, powers.type().getDimSize(3));
}

LogicalResult PartsOp::reifyResultShapes(OpBuilder &b,
                                         ReifiedRankedShapedTypeDims &shapes) {
  GenericOp generic = getGeneric();
  PartSizes parts = reifyParts(b, generic, getSplit(), getBlock());
  auto values = cast<RankedTensorType>(getValues().getType());
  OpFoldResult last = parts.count;
  if (values.getRank() == 4)
    last = b.createOrFold<arith::MulIOp>(getLoc(), parts.count, parts.length);
  SmallVector<OpFoldResult> rest(values.getRank() - 3);
  rest.front() = last;
  reifyRows(b, generic, values, rest, shapes);
  for (Value numbers : {getReferences(), getSums()})
    reifyRows(b, generic, cast<RankedTensorType>(numbers.getType()),
              OpFoldResult(parts.count), shapes);
  return success();
}

//===----------------------------------------------------------------------===//
// attn.part_factors
//===----------------------------------------------------------------------===//

LogicalResult PartFactorsOp::verify() {
  ArrayRef<int64_t> shape = getReferences().getType().getShape();
  return success(
      succeeded(verifyShape(*this, {"sums", getSums()}, shape)) &&
      succeeded(verifyShape(*this, {"factors", getFactors()}, shape)));
}

LogicalResult
PartFactorsOp::reifyResultShapes(OpBuilder &b,
                                 ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(b, getLoc(), getReferences()));
  return success();
}

//===----------------------------------------------------------------------===//
// attn.pool_parts
//===----------------------------------------------------------------------===//

LogicalResult PoolPartsOp::verifyRegions() {
  if (failed(verifyAttention(*this)) ||
      failed(verifySplit(*this, getSplit(), getBlock())))
    return failure();
  GenericOp generic = getGeneric();
  // C4
  if (!AttentionOpInterface(generic).hasPostmix())
    return emitOpError("expected an attention that mixes weights");
  // C3
  int64_t parts = getFactors().getType().getDimSize(3);
  Party powers{"powers", getPowers()}, factors{"factors", getFactors()};
  return success(succeeded(verifyRows(*this, generic, powers,
                                      powers.type().getDimSize(3))) &&
                 succeeded(verifyRows(*this, generic, factors, parts)) &&
                 succeeded(verifyValues(*this, generic, getValues(), parts)));
}

LogicalResult
PoolPartsOp::reifyResultShapes(OpBuilder &b,
                               ReifiedRankedShapedTypeDims &shapes) {
  OpFoldResult parts = tensor::getMixedSize(b, getLoc(), getFactors(), 3);
  reifyRows(b, getGeneric(), getValues().getType(), {parts, OpFoldResult()},
            shapes);
  return success();
}

//===----------------------------------------------------------------------===//
// attn.merge_parts
//===----------------------------------------------------------------------===//

LogicalResult MergePartsOp::verifyRegions() {
  if (failed(verifyAttention(*this)))
    return failure();
  GenericOp generic = getGeneric();
  // C2
  int64_t parts = getReferences().getType().getDimSize(3);
  for (const Party &party :
       {Party{"references", getReferences()}, Party{"sums", getSums()}})
    if (failed(verifyRows(*this, generic, party, parts)))
      return failure();
  if (failed(verifyValues(*this, generic, getValues(), parts)))
    return failure();
  // C3
  return verifyResults(*this, generic);
}

LogicalResult
MergePartsOp::reifyResultShapes(OpBuilder &b,
                                ReifiedRankedShapedTypeDims &shapes) {
  reifyResults(b, getGeneric(), getOperation()->getResults(), shapes);
  return success();
}
