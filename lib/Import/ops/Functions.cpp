// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one float or two, and what rounds them.
#include "lib/Import/ops/Number.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mixattn;

template <typename FloatOp> static OpWriter function() {
  return unaryOfFloats(
      bodyOf([](ArrayRef<Number> x) { return x[0].by<FloatOp>(); }));
}

/// A function of one float that is written out.
static OpWriter written(Number (*number)(const Number &)) {
  return unaryOfFloats(
      bodyOf([=](ArrayRef<Number> x) { return number(x[0]); }));
}

/// A function of `self` and `other` in the result's type, `type`.
static void functionOfTwo(OpCall &op, DType type,
                          Number (*written)(const Number &, const Number &)) {
  op.give(
      combine(op.build, {op.operand("self"), op.operand("other")}, type, type,
              bodyOf([=](ArrayRef<Number> x) { return written(x[0], x[1]); })));
}

static OpWriter functionOfTwoFloats(Number (*written)(const Number &,
                                                      const Number &)) {
  return [=](OpCall &op) { functionOfTwo(op, op.floatType(), written); };
}

static OpWriter functionOfTwo(Number (*written)(const Number &,
                                                const Number &)) {
  return [=](OpCall &op) { functionOfTwo(op, op.result().dtype, written); };
}

/// Floats as whole numbers; integers are that.
template <typename FloatOp> static void rounded(OpCall &op) {
  if (isFloat(op.result().dtype))
    return function<FloatOp>()(op);
  op.give(op.tensor("self"));
}

/// 1, 0 or -1.
static void sign(OpCall &op) {
  DType dtype = op.result().dtype;
  op.give(combine(op.build, op.tensor("self"), dtype, dtype,
                  bodyOf([](ArrayRef<Number> x) {
                    Number zero = x[0].like(0);
                    Number below = choose(x[0] < zero, x[0].like(-1), zero);
                    return choose(zero < x[0], x[0].like(1), below);
                  })));
}

static Number fraction(const Number &x) { return x - x.by<math::TruncOp>(); }

/// x / 180 pi, and the other way round.
static Number radians(const Number &x) { return x * (M_PI / 180); }
static Number degrees(const Number &x) { return x * (180 / M_PI); }

/// sqrt(x^2 + y^2) as m sqrt(1 + (l / m)^2), m the larger of both: no square
/// overflows.
static Number hypotenuse(const Number &x, const Number &y) {
  Number most = largest(absolute(x), absolute(y)),
         least = smallest(absolute(x), absolute(y));
  Number ratio = least / most;
  // Of two zeros, and of infinities, there is no ratio.
  Number isPlain =
      both(0 < most, most < most.like(std::numeric_limits<double>::infinity()));
  return choose(isPlain, most * squareRoot(1 + ratio * ratio), most);
}

/// x log(y), and 0 where x is.
static Number timesLogarithm(const Number &x, const Number &y) {
  Number isZero = both(isEqual(x, x.like(0)), isEqual(y, y));
  return choose(isZero, x.like(0), x * logarithm(y));
}

/// The larger and the smaller, and where one is NaN the other.
static Number largestNumber(const Number &x, const Number &y) {
  return x.either<arith::MaxNumFOp, arith::MaxSIOp>(y);
}
static Number smallestNumber(const Number &x, const Number &y) {
  return x.either<arith::MinNumFOp, arith::MinSIOp>(y);
}

static Number quarterTurn(const Number &x, const Number &y) {
  return x.by<math::Atan2Op>(Value(y));
}

/// x + weight (y - x)
static void interpolate(OpCall &op) {
  DType dtype = op.floatType();
  op.give(combine(
      op.build, {op.tensor("self"), op.tensor("end"), op.operand("weight")},
      dtype, dtype,
      bodyOf([](ArrayRef<Number> n) { return n[0] + n[2] * (n[1] - n[0]); })));
}

/// x + value y z, or x + value y / z.
static OpWriter addScaled(bool isQuotient) {
  return [isQuotient](OpCall &op) {
    DType dtype = op.result().dtype;
    double scale = op.number("value", 1);
    op.give(
        combine(op.build,
                {op.tensor("self"), op.tensor("tensor1"), op.tensor("tensor2")},
                dtype, dtype, bodyOf([=](ArrayRef<Number> n) {
                  Number scaled = n[1] * scale;
                  return n[0] + (isQuotient ? scaled / n[2] : scaled * n[2]);
                })));
  };
}

/// Finite numbers in place of NaN and of infinities.
static void finiteNumbers(OpCall &op) {
  DType dtype = op.floatType();
  double most = dtype == DType::F16    ? 65504
                : dtype == DType::BF16 ? 0x1.FEp127
                : dtype == DType::F32  ? std::numeric_limits<float>::max()
                                       : std::numeric_limits<double>::max();
  double none = op.number("nan", 0), high = op.number("posinf", most),
         low = op.number("neginf", -most);
  double infinity = std::numeric_limits<double>::infinity();
  op.give(combine(
      op.build, op.tensor("self"), dtype, dtype,
      bodyOf([=](ArrayRef<Number> n) {
        const Number &x = n[0];
        Number result = choose(isNaN(x), x.like(none), x);
        result = choose(isEqual(x, x.like(infinity)), x.like(high), result);
        return choose(isEqual(x, x.like(-infinity)), x.like(low), result);
      })));
}

void mixattn::addFunctions(OpTable &table) {
  table["aten.floor"] = OpWriter(rounded<math::FloorOp>);
  table["aten.ceil"] = OpWriter(rounded<math::CeilOp>);
  table["aten.round"] = OpWriter(rounded<math::RoundEvenOp>);
  table["aten.trunc"] = OpWriter(rounded<math::TruncOp>);
  table["aten.exp"] = function<math::ExpOp>();
  table["aten.exp2"] = function<math::Exp2Op>();
  table["aten.expm1"] = function<math::ExpM1Op>();
  table["aten.log"] = function<math::LogOp>();
  table["aten.log10"] = function<math::Log10Op>();
  table["aten.log1p"] = function<math::Log1pOp>();
  table["aten.log2"] = function<math::Log2Op>();
  table["aten.sqrt"] = function<math::SqrtOp>();
  table["aten.rsqrt"] = function<math::RsqrtOp>();
  table["aten.erf"] = function<math::ErfOp>();
  table["aten.erfc"] = function<math::ErfcOp>();
  table["aten.sin"] = function<math::SinOp>();
  table["aten.cos"] = function<math::CosOp>();
  table["aten.tan"] = function<math::TanOp>();
  table["aten.asin"] = function<math::AsinOp>();
  table["aten.acos"] = function<math::AcosOp>();
  table["aten.atan"] = function<math::AtanOp>();
  table["aten.sinh"] = function<math::SinhOp>();
  table["aten.cosh"] = function<math::CoshOp>();
  table["aten.tanh"] = function<math::TanhOp>();
  table["aten.asinh"] = function<math::AsinhOp>();
  table["aten.acosh"] = function<math::AcoshOp>();
  table["aten.atanh"] = function<math::AtanhOp>();
  table["aten.frac"] = written(fraction);
  table["aten.deg2rad"] = written(radians);
  table["aten.rad2deg"] = written(degrees);
  table["aten.sign"] = table["aten.sgn"] = sign;
  table["aten.nan_to_num"] = finiteNumbers;
  table["aten.atan2"] = functionOfTwoFloats(quarterTurn);
  table["aten.hypot"] = functionOfTwoFloats(hypotenuse);
  table["aten.xlogy"] = functionOfTwoFloats(timesLogarithm);
  table["aten.fmax"] = functionOfTwo(largestNumber);
  table["aten.fmin"] = functionOfTwo(smallestNumber);
  table["aten.lerp"] = interpolate;
  table["aten.addcmul"] = addScaled(false);
  table["aten.addcdiv"] = addScaled(true);
  for (auto [name, same] : {std::pair("onnx.Floor", "aten.floor"),
                            {"onnx.Ceil", "aten.ceil"},
                            {"onnx.Round", "aten.round"},
                            {"onnx.Exp", "aten.exp"},
                            {"onnx.Log", "aten.log"},
                            {"onnx.Sqrt", "aten.sqrt"},
                            {"onnx.Erf", "aten.erf"},
                            {"onnx.Sin", "aten.sin"},
                            {"onnx.Cos", "aten.cos"},
                            {"onnx.Tan", "aten.tan"},
                            {"onnx.Asin", "aten.asin"},
                            {"onnx.Acos", "aten.acos"},
                            {"onnx.Atan", "aten.atan"},
                            {"onnx.Sinh", "aten.sinh"},
                            {"onnx.Cosh", "aten.cosh"},
                            {"onnx.Tanh", "aten.tanh"},
                            {"onnx.Asinh", "aten.asinh"},
                            {"onnx.Acosh", "aten.acosh"},
                            {"onnx.Atanh", "aten.atanh"},
                            {"onnx.Sign", "aten.sign"}})
    table[name] = fromOnnx({"self"}, {}, table[same]);
}
