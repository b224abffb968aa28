// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic and functions of one number or two.
#include "lib/Import/OnnxTensor.h"
#include "lib/Import/SizeText.h"
#include "lib/Import/ops/Number.h"
#include "lib/Import/ops/Sizes.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

/// A function of one number, computed in the result's type.
static OpWriter unary(NumberBody body) {
  return [body](OpCall &op) {
    DType dtype = op.result().dtype;
    op.give(combine(op.build, op.tensor("self"), dtype, dtype, body));
  };
}

OpWriter mixattn::unaryOfFloats(NumberBody body) {
  return [body](OpCall &op) {
    DType dtype = op.floatType();
    op.give(combine(op.build, op.tensor("self"), dtype, dtype, body));
  };
}

/// An op of floats and one of integers; bools are integers here.
template <typename FloatOp, typename IntegerOp>
static Value either(OpBuilder &b, Location loc, Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return FloatOp::create(b, loc, x, y);
  return IntegerOp::create(b, loc, x, y);
}

template <typename FloatOp, typename IntegerOp>
static Value binary(OpBuilder &b, Location loc, ValueRange x) {
  return either<FloatOp, IntegerOp>(b, loc, x[0], x[1]);
}

/// self op alpha * other, or the other way round.
template <typename FloatOp, typename IntegerOp>
static OpWriter scaled(bool isReversed = false) {
  return [isReversed](OpCall &op) {
    DType dtype = op.result().dtype;
    double alpha = op.number("alpha", 1);
    op.give(combine(op.build, {op.operand("self"), op.operand("other")}, dtype,
                    dtype, [=](OpBuilder &b, Location loc, ValueRange x) {
                      Value first = x[isReversed], second = x[!isReversed];
                      if (alpha != 1)
                        second = either<arith::MulFOp, arith::MulIOp>(
                            b, loc, second, Number(b, loc, second).like(alpha));
                      return either<FloatOp, IntegerOp>(b, loc, first, second);
                    }));
  };
}

/// A function of self and other, computed in the result's type.
static OpWriter ofTwo(NumberBody body) {
  return [body](OpCall &op) {
    DType dtype = op.result().dtype;
    op.give(combine(op.build, {op.operand("self"), op.operand("other")}, dtype,
                    dtype, body));
  };
}

/// Powers; small whole ones are products.
static void power(OpCall &op) {
  DType dtype = op.result().dtype;
  Built base = op.operand("self"), exponent = op.operand("exponent");
  if (!exponent)
    return;
  bool isNumber =
      exponent.constant && op.build.broadcast({base, exponent}) == base.sizes;
  double whole = isNumber ? *exponent.constant : -1;
  if (whole == 1 || whole == 2 || whole == 3)
    return op.give(combine(op.build, base, dtype, dtype,
                           [=](OpBuilder &b, Location loc, ValueRange x) {
                             Value result = x[0];
                             for (int i = 1; i < whole; ++i)
                               result = either<arith::MulFOp, arith::MulIOp>(
                                   b, loc, result, x[0]);
                             return result;
                           }));
  if (isNumber && exponent.constant == 0.5 && isFloat(dtype))
    return op.give(
        combine(op.build, base, dtype, dtype,
                [](OpBuilder &b, Location loc, ValueRange x) {
                  return math::SqrtOp::create(b, loc, x[0]).getResult();
                }));
  bool mayBeBelow = !isNumber || whole < 0;
  op.give(combine(op.build, {base, exponent}, dtype, dtype,
                  bodyOf([=](ArrayRef<Number> n) {
                    if (n[0].isFloat())
                      return n[0].by<math::PowFOp>(Value(n[1]));
                    if (!mayBeBelow)
                      return n[0].by<math::IPowIOp>(Value(n[1]));
                    // 1 / 0 would stop the program: 0 stays 0.
                    Number isNone = both(isEqual(n[0], n[0].like(0)), n[1] < 0);
                    Number held = choose(isNone, n[1].like(1), n[1]);
                    return n[0].by<math::IPowIOp>(Value(held));
                  })));
}

static Value relu(OpBuilder &b, Location loc, ValueRange x) {
  return either<arith::MaximumFOp, arith::MaxSIOp>(
      b, loc, x[0], Number(b, loc, x[0]).like(0));
}

static Value reciprocal(OpBuilder &b, Location loc, ValueRange x) {
  return 1.0 / Number(b, loc, x[0]);
}

/// x / 2 + x / 2 erf(x / sqrt 2), or with tanh in place of erf:
/// x / 2 + x / 2 tanh(sqrt(2 / pi) (x + 0.044715 x^3)).
static void gelu(OpCall &op) {
  DType dtype = op.floatType();
  std::string kind = op.text("approximate", "none");
  bool isTanh = kind == "tanh";
  if (!isTanh && kind != "none")
    op.build.fail(
        makeError("expected gelu by 'none' or 'tanh', but got '{}'", kind));
  op.give(combine(op.build, op.tensor("self"), dtype, dtype,
                  [=](OpBuilder &b, Location loc, ValueRange x) -> Value {
                    auto number = [&](double value) -> Value {
                      return Number(b, loc, x[0]).like(value);
                    };
                    // Products and sums in one instruction where there is one.
                    auto fused = arith::FastMathFlags::contract;
                    auto product = [&](Value p, Value q) -> Value {
                      return arith::MulFOp::create(b, loc, p, q, fused);
                    };
                    auto sum = [&](Value p, Value q) -> Value {
                      return arith::AddFOp::create(b, loc, p, q, fused);
                    };
                    Value bend;
                    if (isTanh) {
                      Value cube = product(product(x[0], x[0]), x[0]);
                      Value inner = sum(x[0], product(number(0.044715), cube));
                      bend = math::TanhOp::create(
                          b, loc, product(number(std::sqrt(2 / M_PI)), inner));
                    } else {
                      bend = math::ErfOp::create(
                          b, loc, product(x[0], number(M_SQRT1_2)));
                    }
                    Value half = product(x[0], number(0.5));
                    return sum(product(half, bend), half);
                  }));
}

/// Values held within bounds.
static void clamp(OpCall &op) {
  DType dtype = op.result().dtype;
  std::vector<Built> operands = {op.tensor("self")};
  bool hasLow = op.has("min"), hasHigh = op.has("max");
  if (hasLow)
    operands.push_back(op.operand("min"));
  if (hasHigh)
    operands.push_back(op.operand("max"));
  op.give(combine(op.build, operands, dtype, dtype,
                  [=](OpBuilder &b, Location loc, ValueRange x) {
                    Value result = x[0];
                    if (hasLow)
                      result = either<arith::MaximumFOp, arith::MaxSIOp>(
                          b, loc, result, x[1]);
                    if (hasHigh)
                      result = either<arith::MinimumFOp, arith::MinSIOp>(
                          b, loc, result, x.back());
                    return result;
                  }));
}

/// The tensor as it is, in the result's type, which may be that of another.
static void copy(OpCall &op) {
  if (op.has("other"))
    op.tensor("other");
  Built value = op.build.convert(op.tensor("self"), op.result().dtype);
  op.give(value);
}

/// In inference nothing is dropped.
static void dropout(OpCall &op) {
  op.number("p", 0);
  if (op.flag("train", false))
    op.build.fail(makeError("expected a model that was exported for "
                            "inference, but got dropout"));
  op.give(op.tensor("input"));
}

/// The type that an attribute names.
static void castTo(OpCall &op) {
  Result<DType> dtype = dtypeOfOnnx(op.integer("to", 0));
  // Of 8-bit floats alone.
  op.flag("saturate", true);
  if (!dtype)
    op.build.fail(dtype.error());
  else
    op.give(op.build.convert(op.tensor("self"), *dtype));
}

static void castLike(OpCall &op) {
  op.flag("saturate", true);
  op.give(op.build.convert(op.tensor("self"), op.tensor("other").dtype));
}

/// ONNX's spellings.
static void addOnnxPointwise(OpTable &table) {
  using S = const SizePolynomial &;
  auto two = [](SizeFold fold, OpWriter writer) {
    return fromOnnx({"self", "other"}, {}, foldedBy(fold, false, writer));
  };
  table["onnx.Add"] = two([](S x, S y) { return x + y; }, table["aten.add"]);
  table["onnx.Sub"] = two([](S x, S y) { return x - y; }, table["aten.sub"]);
  table["onnx.Mul"] = two([](S x, S y) { return x * y; }, table["aten.mul"]);
  table["onnx.Pow"] = fromOnnx({"self", "exponent"}, {}, power);
  table["onnx.Clip"] = fromOnnx({"self", "min", "max"}, {}, clamp);
  table["onnx.Gelu"] = fromOnnx({"self"}, {}, gelu);
  table["onnx.Cast"] = fromOnnx({"self"}, {}, castTo);
  table["onnx.CastLike"] = fromOnnx({"self", "other"}, {}, castLike);
  table["onnx.Identity"] = fromOnnx({"self"}, {}, copy);
  table["onnx.Dropout"] = fromOnnx({"input", "p", "train"}, {}, [](OpCall &op) {
    op.integer("seed", 0);
    dropout(op);
  });
  table["onnx.Neg"] =
      fromOnnx({"self"}, {}, [writer = table["aten.neg"]](OpCall &op) {
        Built x = op.operand("self");
        if (!x.integers)
          return writer(op);
        SizeList negated = *x.integers;
        for (SizePolynomial &each : negated)
          each = -each;
        op.give(op.build.listed(x.dtype, x.sizes, negated));
      });
  for (auto [name, same] : {std::pair("onnx.Abs", "aten.abs"),
                            {"onnx.Relu", "aten.relu"},
                            {"onnx.Reciprocal", "aten.reciprocal"}})
    table[name] = fromOnnx({"self"}, {}, table[same]);
}

void mixattn::addPointwise(OpTable &table) {
  table["aten.add"] = scaled<arith::AddFOp, arith::AddIOp>();
  table["aten.sub"] = scaled<arith::SubFOp, arith::SubIOp>();
  table["aten.rsub"] = scaled<arith::SubFOp, arith::SubIOp>(true);
  table["aten.mul"] = ofTwo(binary<arith::MulFOp, arith::MulIOp>);
  table["aten.pow"] = power;
  table["aten.neg"] = unary(bodyOf([](ArrayRef<Number> x) { return -x[0]; }));
  table["aten.abs"] =
      unary(bodyOf([](ArrayRef<Number> x) { return absolute(x[0]); }));
  table["aten.square"] =
      unary(bodyOf([](ArrayRef<Number> x) { return x[0] * x[0]; }));
  table["aten.relu"] = unary(relu);
  table["aten.reciprocal"] = unaryOfFloats(reciprocal);
  table["aten.gelu"] = gelu;
  table["aten.clamp"] = clamp;
  for (const char *name :
       {"aten._to_copy", "aten.clone", "aten.to", "aten.contiguous",
        "aten.alias", "aten.detach", "aten.detach_", "aten.lift_fresh_copy"})
    table[name] = copy;
  table["aten.dropout"] = dropout;
  table["aten.native_dropout"] = [](OpCall &op) {
    if (!op.has("train"))
      op.build.fail(makeError("expected a model that was exported for "
                              "inference, but got dropout"));
    dropout(op);
  };
  addOnnxPointwise(table);
}
