// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Features of a query or a key, number by number, as a thread computes them.

#include "passes/schedule/gpu/FeatureNumbers.h"

#include "passes/body/FeatureMap.h"
#include "passes/body/ScoreBody.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

Value FeatureNumbers::emitSum(Type type, function_ref<Value(Value)> term) {
  Value zero = arith::ConstantOp::create(b, b.getFloatAttr(type, 0));
  auto loop =
      scf::ForOp::create(b, at.value(0), at.value(inputs), at.value(1), zero);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value next = arith::AddFOp::create(b, loop.getRegionIterArg(0),
                                     term(loop.getInductionVar()));
  scf::YieldOp::create(b, next);
  return loop.getResult(0);
}

Type FeatureNumbers::getSharedType() {
  if (has(FeatureKind::NormalizedElu))
    return b.getF32Type();
  // Powers would multiply errors of their exponents.
  if (has(FeatureKind::Favor))
    return b.getF64Type();
  return {};
}

Value FeatureNumbers::emitShared(Row row) {
  Location loc = b.getLoc();
  if (has(FeatureKind::Favor)) {
    Type f64 = b.getF64Type();
    Value squares = emitSum(f64, [&](Value column) -> Value {
      Value x = arith::ExtFOp::create(b, f64, row(column));
      return arith::MulFOp::create(b, x, x);
    });
    return arith::MulFOp::create(
        b, squares, arith::ConstantOp::create(b, b.getF64FloatAttr(0.5)));
  }
  Value sum = emitSum(b.getF32Type(), [&](Value column) {
    return emitElu(b, loc, row(column));
  });
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  Value one = arith::ConstantOp::create(b, b.getF32FloatAttr(1));
  Value isZero = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, zero);
  return arith::SelectOp::create(b, isZero, zero,
                                 arith::DivFOp::create(b, one, sum));
}

Value FeatureNumbers::emitNegated(Value number, Value isNegated) {
  return arith::SelectOp::create(b, isNegated, arith::NegFOp::create(b, number),
                                 number);
}

/// With y = [relu(x), relu(-x)] of width w = 2 D: feature r w + f is
/// y[f] y[(f - r - 1) mod w].
Value FeatureNumbers::emitRolled(Row row, Value feature) {
  int64_t width = 2 * inputs;
  auto rectified = [&](Value place) {
    Value isSecond = at.compare(arith::CmpIPredicate::sge, place, inputs);
    Value x = row(at.rem(place, inputs));
    return emitRelu(b, b.getLoc(), emitNegated(x, isSecond));
  };
  Value roll = at.div(feature, width), own = at.rem(feature, width);
  int64_t rolls = op.getFeatureMap()->getRolls();
  Value other =
      at.rem(at.sub(at.add(own, rolls * width - 1), roll), at.value(width));
  return arith::MulFOp::create(b, rectified(own), rectified(other));
}

/// With p = x W of m columns: feature s m + f from the exponent +-p[f] -
/// |x|^2 / 2.
Value FeatureNumbers::emitRandom(Row row, Value feature, Value shared) {
  Type f64 = b.getF64Type();
  int64_t half = count() / 2;
  Value column = at.rem(feature, half);
  Value product = emitSum(f64, [&](Value d) -> Value {
    Value weight =
        toF32(b, b.getLoc(),
              buffers.emitRead(b, b.getLoc(), op.getProjection(), {d, column}));
    return arith::MulFOp::create(b, arith::ExtFOp::create(b, f64, row(d)),
                                 arith::ExtFOp::create(b, f64, weight));
  });
  Value isSecond = at.compare(arith::CmpIPredicate::sge, feature, half);
  Value exponent =
      arith::SubFOp::create(b, emitNegated(product, isSecond), shared);
  return emitRandomFeature(b, b.getLoc(), exponent, count());
}

Value FeatureNumbers::emit(Row row, Value feature, Value shared) {
  std::optional<FeatureMapAttr> map = op.getFeatureMap();
  if (!map)
    return row(feature);
  switch (map->getKind()) {
  case FeatureKind::Elu:
    return emitElu(b, b.getLoc(), row(feature));
  case FeatureKind::NormalizedElu:
    return arith::MulFOp::create(b, emitElu(b, b.getLoc(), row(feature)),
                                 shared);
  case FeatureKind::Relu:
    return emitRelu(b, b.getLoc(), row(feature));
  case FeatureKind::Dpfp:
    return emitRolled(row, feature);
  case FeatureKind::Favor:
    return emitRandom(row, feature, shared);
  }
  llvm_unreachable("all feature maps are emitted");
}
