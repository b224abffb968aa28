// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts ops on whole tensors.

#include "passes/plan/OpCost.h"

#include "passes/plan/BodyCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mixattn;

/// The size of loop `loop` of `op`: that of a dim that is indexed by it alone.
static SizePolynomial loopSize(linalg::LinalgOp op, unsigned loop,
                               const Sizes &sizes) {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      for (auto [dim, expr] :
           llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (auto only = dyn_cast<AffineDimExpr>(expr);
            only && only.getPosition() == loop)
          return sizes.size(operand.get(), dim);
  return SizePolynomial::unknown();
}

/// Whether all elements of `tensor` are 0.
static bool isZero(Value tensor) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.getInputs().front(), m_AnyZeroFloat());
  return matchPattern(tensor, m_AnyZeroFloat());
}

/// Bytes of the inputs, of the outputs' old values where the body reads them,
/// and of the results.
static SizePolynomial countBytes(linalg::LinalgOp op, const Sizes &sizes) {
  SizePolynomial bytes;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isTensor = isa<RankedTensorType>(operand.get().getType());
    if (isTensor && op.payloadUsesValueFromOperand(&operand))
      bytes += sizes.bytes(operand.get());
  }
  for (Value result : op->getResults())
    bytes += sizes.bytes(result);
  return bytes;
}

/// A linalg op does what its body does, at each point of its loops.
static Cost countLinalg(linalg::LinalgOp op, const Sizes &sizes) {
  SizePolynomial points = 1;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    points *= loopSize(op, loop, sizes);
  Cost cost = countBody(op->getRegion(0));
  SizePolynomial firstTerms;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Value term = getAddend(op.getMatchingYieldValue(&init)->get(),
                           op.getMatchingBlockArgument(&init));
    if (!term)
      continue;
    if (isProduct(term))
      cost.macs += 1;
    // A sum that begins with 0 has an addition less than terms.
    if (isZero(init.get()))
      firstTerms += sizes.elements(init.get());
  }
  cost *= points;
  cost.operations += -firstTerms;
  cost.bytes += countBytes(op, sizes);
  return cost;
}

/// Bytes of all tensors that `op` takes, and makes for others, each once.
static SizePolynomial countMoved(Operation *op, const Sizes &sizes) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  for (Value result : op->getResults())
    if (!result.use_empty())
      values.insert(result);
  SizePolynomial bytes;
  for (Value value : values)
    if (isa<TensorType>(value.getType()))
      bytes += sizes.bytes(value);
  return bytes;
}

/// Whether `op` names elements of another tensor, or none that are computed.
static bool movesNothing(Operation *op) {
  return isa<tensor::EmptyOp, tensor::CastOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::ExtractSliceOp>(op) ||
         op->hasTrait<OpTrait::ConstantLike>();
}

/// The stages of an op that has any.
static std::optional<StageCosts> countStages(Operation *op,
                                             const Sizes &sizes) {
  if (auto attention = dyn_cast<AttentionOpInterface>(op))
    return countAttention(attention, sizes);
  if (auto linear = dyn_cast<LinearAttentionOpInterface>(op))
    return countLinearAttention(linear, sizes);
  if (auto shares = dyn_cast<ScoreOpInterface>(op))
    return countShares(shares, sizes);
  return std::nullopt;
}

std::optional<OpCost> mixattn::countOp(Operation *op, const Sizes &sizes) {
  if (llvm::none_of(op->getResultTypes(), llvm::IsaPred<TensorType>) ||
      movesNothing(op))
    return std::nullopt;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return OpCost{countLinalg(structured, sizes), {}};
  Cost cost;
  if (isa<tensor::GenerateOp>(op)) {
    cost = countBody(op->getRegion(0));
    cost *= sizes.elements(op->getResult(0));
    cost.bytes += sizes.bytes(op->getResult(0));
    return OpCost{std::move(cost), {}};
  }
  if (auto append = dyn_cast<AppendOp>(op)) {
    // Rows are read, and written over others; the cache is not.
    cost.bytes =
        sizes.bytes(append.getRows()) * 2 + sizes.bytes(append.getStart());
    return OpCost{std::move(cost), {}};
  }
  StageCosts stages;
  if (std::optional<StageCosts> known = countStages(op, sizes)) {
    stages = std::move(*known);
    for (const StageCost &stage : stages)
      cost += stage.cost;
  } else if (std::optional<Cost> sums = countSums(op, sizes)) {
    cost = *sums;
  } else if (op->hasTrait<OpTrait::Elementwise>()) {
    cost = countScalar(op);
    cost *= sizes.elements(op->getResult(0));
  } else if (!isa<tensor::TensorDialect>(op->getDialect())) {
    cost.multiplyAdds = cost.other = cost.exps = cost.operations = cost.macs =
        SizePolynomial::unknown();
  }
  cost.bytes = countMoved(op, sizes);
  return OpCost{std::move(cost), std::move(stages)};
}
