// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the ops that are sums over what they are given: pools whose weights
// are operands, means, penalties.

#include "passes/plan/CostTerms.h"
#include "passes/plan/OpCost.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mixattn;

/// A band's products, the sparse error's, and where rows are normalised their
/// sums and quotients. Windows copy.
static Cost countSums(StructuredPoolOp op, const Sizes &sizes) {
  Value value = op.getValue(), band = op.getBand();
  OperandDim headsDim = op.getHeadsDim();
  SizePolynomial heads = sizes.size(headsDim.value, headsDim.dim);
  SizePolynomial rows = heads * sizes.size(value, 2);
  SizePolynomial columns = sizes.size(value, 0) * sizes.size(value, 3);
  Cost cost;
  if (band)
    cost += productSum(sizes.size(band, 2)) * rows * columns;
  if (Value error = op.getErrorValue())
    cost += productSum(sizes.size(error, 0), true) * columns;
  if (!op.getRowNormalise())
    return cost;
  if (band)
    cost += arithmetic(sizes.size(band, 2) - 1) * rows;
  if (Value error = op.getErrorValue())
    cost += arithmetic(sizes.size(error, 0));
  return cost + uncounted(rows * columns, 0);
}

static Cost countSums(PriorUpdateOp op, const Sizes &sizes) {
  Value shares = op.getResponsibilities();
  SizePolynomial means = sizes.elements(op.getResult());
  return arithmetic(sizes.elements(shares) - means) + uncounted(means, 0);
}

/// M^T M, the ones taken from its diagonal, and the sum of squares.
static Cost countSums(OrthogonalPenaltyOp op, const Sizes &sizes) {
  SizePolynomial columns = sizes.size(op.getMixer(), 1);
  SizePolynomial squares = columns * columns;
  return productSum(sizes.size(op.getMixer(), 0)) * squares +
         arithmetic(columns) + productSum(squares);
}

std::optional<Cost> mixattn::countSums(Operation *op, const Sizes &sizes) {
  return llvm::TypeSwitch<Operation *, std::optional<Cost>>(op)
      .Case<StructuredPoolOp, PriorUpdateOp, OrthogonalPenaltyOp>(
          [&](auto known) { return ::countSums(known, sizes); })
      .Default([](Operation *) { return std::nullopt; });
}
