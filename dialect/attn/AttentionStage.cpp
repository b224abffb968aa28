// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verification and sizes of stages that hold their attention.

#include "dialect/attn/AttentionStage.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

GenericOp mixattn::detail::findAttention(Region &region) {
  Block &block = region.front();
  auto first = llvm::find_if_not(
      block, [](Operation &op) { return isa<RowTermOp>(op); });
  if (std::distance(first, block.end()) != 2)
    return {};
  auto generic = dyn_cast<GenericOp>(*first);
  auto results = dyn_cast<ResultsOp>(block.back());
  if (!generic || !results || generic.getWeights() ||
      !llvm::equal(results.getTensors(), generic->getResults()))
    return {};
  return generic;
}

LogicalResult mixattn::detail::verifyAttention(Operation *op) {
  if (findAttention(op->getRegion(0)))
    return success();
  return op->emitOpError("expected a region of one 'attn.generic' without "
                         "weights as a result, and 'attn.results' of it");
}

LogicalResult mixattn::detail::verifyRows(Operation *op, GenericOp generic,
                                          const Party &party,
                                          ArrayRef<int64_t> rest) {
  auto result = cast<RankedTensorType>(generic.getResult().getType());
  SmallVector<int64_t> shape(result.getShape().drop_back());
  llvm::append_range(shape, rest);
  return verifyShape(op, party, shape);
}

LogicalResult mixattn::detail::verifyResults(Operation *op, GenericOp generic) {
  if (op->getResultTypes() == generic->getResultTypes())
    return success();
  return op->emitOpError("expected the results of its attention, ")
         << generic->getResultTypes() << ", but got " << op->getResultTypes();
}

void mixattn::detail::reifyRows(OpBuilder &b, GenericOp generic,
                                RankedTensorType type,
                                ArrayRef<OpFoldResult> rest,
                                ReifiedRankedShapedTypeDims &shapes) {
  AttentionOpInterface op = generic;
  SmallVector<OpFoldResult> &sizes = shapes.emplace_back();
  auto open = [&](OperandDim of) -> OpFoldResult {
    return tensor::getMixedSize(b, generic.getLoc(), of.value, of.dim);
  };
  SmallVector<OpFoldResult> all = {
      type.isDynamicDim(0) ? open(op.getBatchDim()) : OpFoldResult(),
      OpFoldResult(),
      type.isDynamicDim(2) ? open(op.getQueriesDim()) : OpFoldResult()};
  llvm::append_range(all, rest);
  for (auto [i, size] : llvm::enumerate(all))
    sizes.push_back(type.isDynamicDim(i)
                        ? size
                        : OpFoldResult(b.getIndexAttr(type.getDimSize(i))));
}

void mixattn::detail::reifyResults(OpBuilder &b, GenericOp generic,
                                   ResultRange results,
                                   ReifiedRankedShapedTypeDims &shapes) {
  for (Value result : results) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<OpFoldResult> rest(type.getRank() - 3);
    reifyRows(b, generic, type, rest, shapes);
  }
}
