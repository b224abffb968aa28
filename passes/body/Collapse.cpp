// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Components that differ by terms alone: one power of 2 serves them all.

#include "passes/body/Body.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

static int64_t rankOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

bool Body::takesPrior(AttentionOpInterface op) {
  Value prior = op.getPrior();
  return op.getGaussian() && prior && rankOf(prior) == 2 &&
         op.getKeyGroup() == 1;
}

bool Body::collapses(AttentionOpInterface op) {
  if (!addsComponents(op) || !op.getKey() || rankOf(op.getKey()) != 4 ||
      op.getBias())
    return false;
  for (int64_t r = 1; r < op.getNumComponents(); ++r)
    if ((op.getVariances() || op.getGaussian()) &&
        op.getVariance(r) != op.getVariance(0))
      return false;
  if (op.getGaussian())
    return op.getShifts() && (!op.getPrior() || takesPrior(op));
  auto isOfComponents = [](Value term) { return term && rankOf(term) == 4; };
  return !op.getShifts() && !op.getPrior() &&
         isOfComponents(op.getQueryTerm()) && isOfComponents(op.getKeyTerm());
}

Body::Collapsed Body::emitCollapsed(OpBuilder &b, Value product,
                                    ReadFactor ofQuery, ReadFactor ofKey) {
  Value sum = arith::AddFOp::create(b, loc, ofQuery(0), ofKey(0));
  Collapsed result;
  result.exponent =
      op.getBase2()
          ? arith::AddFOp::create(b, loc, product, sum,
                                  arith::FastMathFlags::contract)
                .getResult()
          : multiplyAdd(b, product, constant(b, llvm::numbers::log2e), sum);
  for (int64_t r = 1; r <= op.getNumComponents(); ++r) {
    Value x = ofQuery(r), y = ofKey(r);
    result.factor = result.factor
                        ? multiplyAdd(b, x, y, result.factor)
                        : arith::MulFOp::create(b, loc, x, y).getResult();
  }
  return result;
}

Body::Collapsed Body::emitCollapsed(OpBuilder &b, Value product,
                                    const ScorePlace &place) {
  auto generic = cast<GenericOp>(op.getOperation());
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value keyHead =
      op.getKeyGroup() == 1
          ? place.h
          : arith::DivUIOp::create(b, loc, place.h, index(op.getKeyGroup()))
                .getResult();
  return emitCollapsed(
      b, product,
      [&](int64_t r) {
        return read(b, generic.getQueryFactors(),
                    {place.b, place.h, index(r), place.i});
      },
      [&](int64_t r) {
        return read(b, generic.getKeyFactors(),
                    {place.b, keyHead, index(r), place.j});
      });
}
