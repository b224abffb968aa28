// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes reads of a table at computed places out of the body of an op.

#include "passes/raise/ComputedPicks.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mixattn;

/// The ops of the body that `pick` follows from, itself the last; empty where
/// one has a region.
static llvm::SetVector<Operation *> findSteps(tensor::ExtractOp pick) {
  llvm::SetVector<Operation *> steps;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == pick->getBlock();
  };
  if (failed(getBackwardSlice(pick.getOperation(), &steps, options)) ||
      llvm::any_of(steps, [](Operation *op) { return op->getNumRegions(); }))
    return {};
  return topologicalSort(steps);
}

std::optional<Picked> mixattn::pickOutside(linalg::LinalgOp op,
                                           tensor::ExtractOp pick) {
  if (op.getNumReductionLoops())
    return std::nullopt;
  llvm::SetVector<Operation *> steps = findSteps(pick);
  if (steps.empty())
    return std::nullopt;
  // The operands that it reads, and the loops that it depends on.
  llvm::SetVector<Value> arguments;
  llvm::SmallSetVector<unsigned, 4> used;
  for (Operation *step : steps) {
    if (auto index = dyn_cast<linalg::IndexOp>(step))
      used.insert(index.getDim());
    for (Value operand : step->getOperands())
      if (operand.getParentBlock() == op.getBlock() &&
          isa<BlockArgument>(operand))
        arguments.insert(operand);
  }
  SmallVector<Value> inputs;
  SmallVector<AffineMap> read;
  for (Value argument : arguments) {
    OpOperand *operand = op.getMatchingOpOperand(cast<BlockArgument>(argument));
    if (op.isDpsInit(operand) || isa<FloatType>(argument.getType()))
      return std::nullopt;
    inputs.push_back(operand->get());
    read.push_back(op.getMatchingIndexingMap(operand));
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (read.back().isFunctionOfDim(loop))
        used.insert(loop);
  }
  Picked picked{{}, used.takeVector()};
  llvm::sort(picked.loops);

  OpBuilder b(op);
  Location loc = pick.getLoc();
  OpOperand *result = op.getDpsInitOperand(0);
  SmallVector<AffineExpr> dims(op.getNumLoops(), b.getAffineConstantExpr(0));
  SmallVector<OpFoldResult> sizes;
  for (auto [number, loop] : llvm::enumerate(picked.loops)) {
    dims[loop] = b.getAffineDimExpr(number);
    std::optional<unsigned> dim =
        op.getMatchingIndexingMap(result).getResultPosition(
            b.getAffineDimExpr(loop));
    if (!dim)
      return std::nullopt;
    sizes.push_back(tensor::getMixedSize(b, loc, result->get(), *dim));
  }
  unsigned rank = picked.loops.size();
  for (AffineMap &map : read)
    map = map.replaceDimsAndSymbols(dims, {}, rank, 0);
  read.push_back(b.getMultiDimIdentityMap(rank));
  Value empty = tensor::EmptyOp::create(b, loc, sizes, pick.getType());
  SmallVector<utils::IteratorType> parallel(rank,
                                            utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, empty.getType(), inputs, empty, read, parallel,
      [&](OpBuilder &b, Location loc, ValueRange numbers) {
        IRMapping mapping;
        mapping.map(arguments.getArrayRef(), numbers.drop_back());
        for (Operation *step : steps) {
          auto index = dyn_cast<linalg::IndexOp>(step);
          if (!index) {
            b.clone(*step, mapping);
            continue;
          }
          auto *number = llvm::find(picked.loops, index.getDim());
          mapping.map(
              index.getResult(),
              linalg::IndexOp::create(b, loc, number - picked.loops.begin())
                  .getResult());
        }
        linalg::YieldOp::create(b, loc, mapping.lookup(pick.getResult()));
      });
  picked.tensor = generic.getResult(0);
  return picked;
}
