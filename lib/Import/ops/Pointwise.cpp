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

static Value constant(OpBuilder &b, Location loc, Type type, double number) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, number));
  return arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(type, static_cast<int64_t>(number)));
}

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
                            b, loc, second,
                            constant(b, loc, second.getType(), alpha));
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

/// The rest of a quotient that is rounded down: of the divisor's sign.
static Value restOf(OpBuilder &b, Location loc, ValueRange x) {
  Number divisor(b, loc, x[1]),
      rest(b, loc, either<arith::RemFOp, arith::RemSIOp>(b, loc, x[0], x[1]));
  Number isOdd = (rest < 0).by<arith::XOrIOp>(Value(divisor < 0));
  Number isZero = isEqual(rest, rest.like(0));
  return choose(isZero, rest, choose(isOdd, rest + divisor, rest));
}

/// Quotients, rounded as asked for.
static void divideBy(OpCall &op, const std::string &rounding) {
  DType dtype = rounding.empty() ? op.floatType() : op.result().dtype;
  if (!rounding.empty() && rounding != "floor" && rounding != "trunc")
    op.build.fail(makeError("expected a rounding to 'floor' or 'trunc', but "
                            "got '{}'",
                            rounding));
  bool isFloor = rounding == "floor", isTrunc = rounding == "trunc";
  op.give(combine(
      op.build, {op.operand("self"), op.operand("other")}, dtype, dtype,
      [=](OpBuilder &b, Location loc, ValueRange x) -> Value {
        if (!isa<FloatType>(x[0].getType())) {
          if (isFloor)
            return arith::FloorDivSIOp::create(b, loc, x[0], x[1]);
          return arith::DivSIOp::create(b, loc, x[0], x[1]);
        }
        // Less its rest it divides to a whole number.
        if (isFloor) {
          Value whole = arith::SubFOp::create(b, loc, x[0], restOf(b, loc, x));
          Value times = arith::DivFOp::create(b, loc, whole, x[1]);
          return math::RoundEvenOp::create(b, loc, times);
        }
        Value quotient = arith::DivFOp::create(b, loc, x[0], x[1]);
        if (isTrunc)
          return math::TruncOp::create(b, loc, quotient);
        return quotient;
      }));
}

static void divide(OpCall &op) { divideBy(op, op.text("rounding_mode", "")); }

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
  op.give(combine(op.build, {base, exponent}, dtype, dtype,
                  binary<math::PowFOp, math::IPowIOp>));
}

static Value relu(OpBuilder &b, Location loc, ValueRange x) {
  return either<arith::MaximumFOp, arith::MaxSIOp>(
      b, loc, x[0], constant(b, loc, x[0].getType(), 0));
}

static Value reciprocal(OpBuilder &b, Location loc, ValueRange x) {
  return arith::DivFOp::create(b, loc, constant(b, loc, x[0].getType(), 1),
                               x[0]);
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
                    auto number = [&](double value) {
                      return constant(b, loc, x[0].getType(), value);
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

/// The rest of a quotient: of the divisor's sign, or of the dividend's.
static void modulo(OpCall &op) {
  if (!op.flag("fmod", false))
    return ofTwo(restOf)(op);
  ofTwo(binary<arith::RemFOp, arith::RemSIOp>)(op);
}

/// A quotient of numbers rounded towards 0, or of sizes where it is whole.
static SizePolynomial truncatedQuotient(const SizePolynomial &x,
                                        const SizePolynomial &y) {
  std::optional<int64_t> a = x.asNumber(), b = y.asNumber();
  if (b == 0 || (a == INT64_MIN && b == -1))
    return SizePolynomial::unknown();
  return a && b ? SizePolynomial(*a / *b) : exactQuotient(x, y);
}

/// The rest of it, for numbers that are at least 0.
static SizePolynomial restOfSizes(const SizePolynomial &x,
                                  const SizePolynomial &y) {
  std::optional<int64_t> a = x.asNumber(), b = y.asNumber();
  return a && b && *a >= 0 && *b > 0 ? SizePolynomial(*a % *b)
                                     : SizePolynomial::unknown();
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
  table["onnx.Div"] =
      two(truncatedQuotient, ofTwo(binary<arith::DivFOp, arith::DivSIOp>));
  table["onnx.Mod"] = two(restOfSizes, modulo);
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
  for (auto [name, same] : {std::pair("onnx.Neg", "aten.neg"),
                            {"onnx.Abs", "aten.abs"},
                            {"onnx.Relu", "aten.relu"},
                            {"onnx.Reciprocal", "aten.reciprocal"}})
    table[name] = fromOnnx({"self"}, {}, table[same]);
}

void mixattn::addPointwise(OpTable &table) {
  table["aten.add"] = scaled<arith::AddFOp, arith::AddIOp>();
  table["aten.sub"] = scaled<arith::SubFOp, arith::SubIOp>();
  table["aten.rsub"] = scaled<arith::SubFOp, arith::SubIOp>(true);
  table["aten.mul"] = ofTwo(binary<arith::MulFOp, arith::MulIOp>);
  table["aten.remainder"] = ofTwo(restOf);
  table["aten.div"] = divide;
  table["aten.floor_divide"] = [](OpCall &op) { divideBy(op, "floor"); };
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
