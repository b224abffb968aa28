// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts what a call of an entry costs.

#include "passes/plan/EntryCost.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Walks an entry's ops.
class EntryCounter {
public:
  EntryCounter(func::FuncOp entry, const GivenSizes &given)
      : entry(entry), sizes(entry, given) {}

  EntryCost count();

private:
  void countRegion(Region &region, const SizePolynomial &times);
  SizePolynomial countTurns(Operation *op);
  SizePolynomial countParameters(Operation *op);
  bool isParameter(Value value);

  func::FuncOp entry;
  Sizes sizes;
  EntryCost result;
};

} // namespace

bool EntryCounter::isParameter(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &entry.getBody().front() &&
         entry.getArgAttr(argument.getArgNumber(), "attn.parameter");
}

/// The tensor that `value` is, or is a reshape, a cast or a slice of.
static Value skipViews(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_present<tensor::CastOp, tensor::ExpandShapeOp,
                         tensor::CollapseShapeOp, tensor::ExtractSliceOp>(op)) {
    value = op->getOperand(0);
    op = value.getDefiningOp();
  }
  return value;
}

SizePolynomial EntryCounter::countParameters(Operation *op) {
  llvm::SetVector<Value> read;
  getUsedValuesDefinedAbove(op->getRegions(), read);
  read.insert_range(op->getOperands());
  llvm::SetVector<Value> parameters;
  for (Value value : read)
    if (Value source = skipViews(value); isParameter(source))
      parameters.insert(source);
  SizePolynomial count;
  for (Value parameter : parameters)
    count += sizes.elements(parameter);
  return count;
}

/// How often the regions of `op` run, where it is known. Both branches of a
/// condition count.
SizePolynomial EntryCounter::countTurns(Operation *op) {
  if (isa<scf::IfOp, scf::ExecuteRegionOp>(op))
    return 1;
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return SizePolynomial::unknown();
  SizePolynomial distance =
      sizes.value(loop.getUpperBound()) - sizes.value(loop.getLowerBound());
  std::optional<int64_t> step = sizes.value(loop.getStep()).asNumber();
  if (!step || *step <= 0)
    return SizePolynomial::unknown();
  // Whole numbers round up; a dim may only be divided without a rest.
  if (std::optional<int64_t> number = distance.asNumber())
    return *number <= 0 ? 0 : (*number - 1) / *step + 1;
  return distance.dividedBy(*step);
}

void EntryCounter::countRegion(Region &region, const SizePolynomial &times) {
  for (Operation &op : region.getOps()) {
    if (isa<scf::SCFDialect>(op.getDialect())) {
      SizePolynomial turns = countTurns(&op);
      for (Region &inner : op.getRegions())
        countRegion(inner, times * turns);
      continue;
    }
    std::optional<OpCost> cost = countOp(&op, sizes);
    if (!cost)
      continue;
    cost->cost *= times;
    for (StageCost &stage : cost->stages)
      stage.cost *= times;
    result.total += cost->cost;
    result.ops.push_back({&op, countParameters(&op), std::move(*cost)});
  }
}

EntryCost EntryCounter::count() {
  countRegion(entry.getBody(), 1);
  for (Value argument : entry.getArguments())
    if (isParameter(argument))
      result.parameters += sizes.elements(argument);
  result.transferred = countBytes(entry, sizes);
  return std::move(result);
}

EntryCost mixattn::countEntry(func::FuncOp entry, const GivenSizes &given) {
  return EntryCounter(entry, given).count();
}

SizePolynomial mixattn::countBytes(func::FuncOp entry, const Sizes &sizes) {
  SizePolynomial bytes;
  for (Value argument : entry.getArguments())
    bytes += sizes.bytes(argument);
  for (Value value : entry.getBody().front().getTerminator()->getOperands())
    bytes += sizes.bytes(value);
  return bytes;
}

SizePolynomial mixattn::countFlops(Operation *op, const Sizes &sizes) {
  if (auto attention = dyn_cast<AttentionOpInterface>(op)) {
    auto size = [&](OperandDim of) { return sizes.size(of.value, of.dim); };
    SizePolynomial pairs = size(attention.getBatchDim()) *
                           size(attention.getQueriesDim()) *
                           size(attention.getKeysDim());
    SizePolynomial flops = pairs * attention.getNumHeads() *
                           sizes.size(attention.getValue(), 3) * 2;
    if (Value query = attention.getQuery())
      flops += pairs * attention.getNumQueryHeads() * sizes.size(query, 3) *
               (2 * attention.getNumComponents());
    return flops;
  }
  // Other ops of the dialect sum what they multiply in all their stages, and
  // contractions and convolutions are nothing else.
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  bool isProduct =
      linalg &&
      (linalg::isaContractionOpInterface(linalg) ||
       linalg::isaConvolutionOpInterface(linalg)) &&
      isa<FloatType>(getElementTypeOrSelf(linalg.getDpsInits()[0]));
  if (!isa<AttnDialect>(op->getDialect()) && !isProduct)
    return 0;
  std::optional<OpCost> cost = countOp(op, sizes);
  return cost ? cost->cost.multiplyAdds * 2 : 0;
}

SizePolynomial mixattn::countFlops(func::FuncOp entry, const Sizes &sizes) {
  SizePolynomial flops;
  entry.walk([&](Operation *op) { flops += countFlops(op, sizes); });
  return flops;
}
