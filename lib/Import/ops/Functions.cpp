// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one float that the math dialect has.
#include "lib/Import/ops/Elementwise.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mixattn;

template <typename FloatOp> static OpWriter function() {
  return unaryOfFloats([](OpBuilder &b, Location loc, ValueRange x) {
    return FloatOp::create(b, loc, x[0]).getResult();
  });
}

void mixattn::addFunctions(OpTable &table) {
  table["aten.floor"] = function<math::FloorOp>();
  table["aten.ceil"] = function<math::CeilOp>();
  table["aten.exp"] = function<math::ExpOp>();
  table["aten.exp2"] = function<math::Exp2Op>();
  table["aten.expm1"] = function<math::ExpM1Op>();
  table["aten.log"] = function<math::LogOp>();
  table["aten.log1p"] = function<math::Log1pOp>();
  table["aten.log2"] = function<math::Log2Op>();
  table["aten.sqrt"] = function<math::SqrtOp>();
  table["aten.rsqrt"] = function<math::RsqrtOp>();
  table["aten.tanh"] = function<math::TanhOp>();
  table["aten.erf"] = function<math::ErfOp>();
  table["aten.sin"] = function<math::SinOp>();
  table["aten.cos"] = function<math::CosOp>();
}
