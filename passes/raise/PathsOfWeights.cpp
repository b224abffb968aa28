// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops before weights and after them, one by one.

#include "passes/raise/PathsOfWeights.h"
#include "passes/raise/ReadElement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <queue>

using namespace mlir;
using namespace mixattn;

/// More ops than stand between two sums of one attention.
static constexpr size_t mostOps = 64;

/// Whether an element of what `op` computes comes from one of each operand.
static bool isElementwise(Operation *op) {
  if (auto loops = dyn_cast<linalg::LinalgOp>(op))
    return loops.getNumReductionLoops() == 0;
  return isa_and_present<tensor::TensorDialect>(op->getDialect());
}

static bool isOfTensor(Operation *op) {
  return op->getNumResults() == 1 &&
         isa<RankedTensorType>(op->getResult(0).getType());
}

llvm::SetVector<Value> mixattn::elementwiseBefore(Operation *op) {
  llvm::SetVector<Value> seen(op->operand_begin(), op->operand_end());
  for (size_t next = 0; next < seen.size() && next < mostOps; ++next)
    if (Operation *made = seen[next].getDefiningOp();
        made && isElementwise(made))
      seen.insert(made->operand_begin(), made->operand_end());
  return seen;
}

bool mixattn::isSum(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op->getNumResults() != 1 ||
      sumsSeveral(op->getResult(0), /*onlyProducts=*/true))
    return false;
  Value last = op.getBlock()->getTerminator()->getOperand(0);
  return last.getDefiningOp<arith::AddFOp>() != nullptr;
}

SmallVector<linalg::LinalgOp> mixattn::sumsBefore(Operation *op) {
  SmallVector<linalg::LinalgOp> sums;
  for (Value value : elementwiseBefore(op))
    if (auto loops = value.getDefiningOp<linalg::LinalgOp>();
        loops && isSum(loops))
      sums.push_back(loops);
  return sums;
}

bool mixattn::sumsExponentials(linalg::LinalgOp sum) {
  auto hasExponential = [](linalg::LinalgOp op) {
    return llvm::any_of(*op.getBlock(), [](Operation &inner) {
      return isa<math::ExpOp, math::Exp2Op>(inner);
    });
  };
  return hasExponential(sum) ||
         llvm::any_of(elementwiseBefore(sum), [&](Value value) {
           auto loops = value.getDefiningOp<linalg::LinalgOp>();
           return loops && hasExponential(loops);
         });
}

bool mixattn::isOfProduct(Value value) {
  llvm::SetVector<Value> seen;
  seen.insert(value);
  // More ops than stand between products and a softmax.
  constexpr size_t most = 4096;
  for (size_t next = 0; next < seen.size() && next < most; ++next) {
    auto loops = seen[next].getDefiningOp<linalg::LinalgOp>();
    if (loops && loops.getNumReductionLoops() != 0 &&
        loops.getNumDpsInputs() == 2)
      return true;
    if (Operation *op = seen[next].getDefiningOp())
      seen.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

bool mixattn::isRead(Operation *op) {
  llvm::SetVector<Operation *> readers;
  readers.insert(op);
  for (size_t next = 0; next < readers.size(); ++next)
    for (Operation *user : readers[next]->getUsers()) {
      // A reader within loops is a part of them.
      while (user && !isa<FunctionOpInterface>(user->getParentOp()))
        user = user->getParentOp();
      if (user->hasTrait<OpTrait::IsTerminator>())
        return true;
      readers.insert(user);
    }
  return false;
}

SmallVector<linalg::LinalgOp> mixattn::sumsAfter(Value weights) {
  SmallVector<linalg::LinalgOp> sums;
  llvm::SetVector<Operation *> seen;
  std::queue<Value> left;
  left.push(weights);
  while (!left.empty() && seen.size() < mostOps) {
    for (Operation *user : left.front().getUsers()) {
      if (!isOfTensor(user) || !seen.insert(user))
        continue;
      auto loops = dyn_cast<linalg::LinalgOp>(user);
      if (loops && loops.getNumReductionLoops() != 0)
        sums.push_back(loops);
      left.push(user->getResult(0));
    }
    left.pop();
  }
  return sums;
}

/// The ops that read one of `from`, or elementwise what is computed of it.
static llvm::SetVector<Operation *>
elementwiseAfter(ArrayRef<linalg::LinalgOp> from) {
  llvm::SetVector<Operation *> seen;
  SmallVector<Operation *> left(from.begin(), from.end());
  for (size_t next = 0; next < left.size() && next < mostOps; ++next)
    for (Operation *user : left[next]->getUsers())
      if (isOfTensor(user) && seen.insert(user) && isElementwise(user))
        left.push_back(user);
  return seen;
}

SmallVector<linalg::LinalgOp>
mixattn::quotientsAfter(const FoundSoftmax &powers) {
  SmallVector<linalg::LinalgOp> pools, quotients;
  for (const Pool &pool : findPools(powers.weights, powers.axis))
    pools.push_back(pool.op);
  llvm::SetVector<Operation *> afterPools = elementwiseAfter(pools);
  for (Operation *op : elementwiseAfter(powers.sum))
    if (auto loops = dyn_cast<linalg::LinalgOp>(op))
      if (llvm::is_contained(pools, loops) ||
          (loops.getNumReductionLoops() == 0 && afterPools.contains(op)))
        quotients.push_back(loops);
  return quotients;
}
