// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the arithmetic of scalar ops.

#include "passes/plan/BodyCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

/// `value` before it was widened or narrowed.
static Value skipCasts(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_present<arith::ExtFOp, arith::TruncFOp>(op)) {
    value = op->getOperand(0);
    op = value.getDefiningOp();
  }
  return value;
}

bool mixattn::isProduct(Value value) {
  return isa_and_present<arith::MulFOp>(skipCasts(value).getDefiningOp());
}

Value mixattn::getAddend(Value value, Value accumulator) {
  Operation *op = skipCasts(value).getDefiningOp();
  if (!isa_and_present<arith::AddFOp>(op))
    return {};
  for (unsigned i : {0, 1})
    if (skipCasts(op->getOperand(i)) == accumulator)
      return op->getOperand(1 - i);
  return {};
}

/// Whether `sum` and a product that it alone reads are one multiply-add.
static bool takesProduct(Operation *sum) {
  return isa<arith::AddFOp, arith::SubFOp>(sum) &&
         llvm::any_of(sum->getOperands(), [](Value operand) {
           return isProduct(operand) && skipCasts(operand).hasOneUse();
         });
}

Cost mixattn::countScalar(Operation *op) {
  Cost cost;
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    Type type = extract.getType();
    if (type.isIntOrFloat())
      cost.bytes = (type.getIntOrFloatBitWidth() + 7) / 8;
    return cost;
  }
  if (op->getNumResults() != 1 ||
      !isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return cost;
  if (isa<math::FmaOp>(op)) {
    cost.multiplyAdds = 1;
    cost.operations = 2;
  } else if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op)) {
    cost.other = 1;
    cost.operations = 1;
  } else if (isa<arith::DivFOp, arith::RemFOp, arith::MaximumFOp,
                 arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
                 math::SqrtOp, math::RsqrtOp, math::CbrtOp>(op)) {
    cost.other = 1;
  } else if (isa<math::MathDialect>(op->getDialect()) &&
             !isa<math::AbsFOp, math::CopySignOp, math::CeilOp, math::FloorOp,
                  math::RoundOp, math::RoundEvenOp, math::TruncOp>(op)) {
    cost.exps = 1;
  }
  return cost;
}

Cost mixattn::countBody(Region &region) {
  Cost cost;
  region.walk([&](Operation *op) {
    cost += countScalar(op);
    if (takesProduct(op)) {
      // The product and the sum have counted apart.
      cost.multiplyAdds += 1;
      cost.other += -2;
    }
  });
  return cost;
}
