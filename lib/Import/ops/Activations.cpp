// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activations: functions of one float, of which some have parameters.
#include "lib/Import/ops/Number.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// A parameter of an activation: its name, and what it is if not given.
struct Parameter {
  const char *name;
  double otherwise;
};

} // namespace

/// An activation of x with parameters p.
using Activation = Number (*)(const Number &x, ArrayRef<double> p);

/// x held within bounds.
static Number held(const Number &x, double low, double high) {
  return smallest(largest(x, low), high);
}

static Number expm1(const Number &x) { return x.by<math::ExpM1Op>(); }

/// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|))
static Number logOnePlusExp(const Number &x) {
  Number small = exponential(-absolute(x));
  return largest(x, 0) + small.by<math::Log1pOp>();
}

static Number logistic(const Number &x) { return 1 / (1 + exponential(-x)); }

static Number sigmoid(const Number &x, ArrayRef<double>) { return logistic(x); }

/// x sigmoid(alpha x)
static Number swish(const Number &x, ArrayRef<double> p) {
  return x * logistic(x * p[0]);
}

/// Above `threshold`, beta x is so large that the rest is none.
static Number softplus(const Number &x, ArrayRef<double> p) {
  Number scaled = x * p[0];
  return choose(p[1] < scaled, x, logOnePlusExp(scaled) / p[0]);
}

static Number logSigmoid(const Number &x, ArrayRef<double>) {
  return -logOnePlusExp(-x);
}

static Number mish(const Number &x, ArrayRef<double>) {
  return x * logOnePlusExp(x).by<math::TanhOp>();
}

/// scale x, or below 0 scale alpha (exp(inner x) - 1).
static Number elu(const Number &x, ArrayRef<double> p) {
  return choose(0 < x, x * p[1], expm1(x * p[2]) * (p[0] * p[1]));
}

/// max(x, 0) + min(alpha (exp(x / alpha) - 1), 0)
static Number celu(const Number &x, ArrayRef<double> p) {
  return largest(x, 0) + smallest(expm1(x / p[0]) * p[0], 0);
}

static Number leakyRelu(const Number &x, ArrayRef<double> p) {
  return choose(0 < x, x, x * p[0]);
}

static Number hardTanh(const Number &x, ArrayRef<double> p) {
  return held(x, p[0], p[1]);
}

/// clamp(alpha x + beta, 0, 1)
static Number hardSigmoid(const Number &x, ArrayRef<double> p) {
  return held(x * p[0] + p[1], 0, 1);
}

static Number hardSwish(const Number &x, ArrayRef<double>) {
  return x * (held(x + 3, 0, 6) / 6);
}

/// NaN stays, as PyTorch has it.
static Number threshold(const Number &x, ArrayRef<double> p) {
  Number isAbove = x.compare(arith::CmpFPredicate::UGT,
                             arith::CmpIPredicate::sgt, x.like(p[0]));
  return choose(isAbove, x, x.like(p[1]));
}

/// 0 between -lambda and lambda, and nearer to 0 by `bias` outside.
static Number shrink(const Number &x, ArrayRef<double> p) {
  return choose(p[0] < x, x - p[1], choose(x < -p[0], x + p[1], x * 0));
}

/// The same with a bias of lambda.
static Number softShrink(const Number &x, ArrayRef<double> p) {
  return shrink(x, {p[0], p[0]});
}

static Number hardShrink(const Number &x, ArrayRef<double> p) {
  return shrink(x, {p[0], 0});
}

static Number softSign(const Number &x, ArrayRef<double>) {
  return x / (1 + absolute(x));
}

static OpWriter activation(Activation function,
                           std::vector<Parameter> parameters = {}) {
  return [=](OpCall &op) {
    DType dtype = op.floatType();
    auto numbers = llvm::map_to_vector(parameters, [&](const Parameter &each) {
      return op.number(each.name, each.otherwise);
    });
    op.give(combine(
        op.build, op.tensor("self"), dtype, dtype,
        bodyOf([=](ArrayRef<Number> x) { return function(x[0], numbers); })));
  };
}

/// x, or below 0 weight x. PyTorch's weights are one number or one for each
/// channel, which dim 1 counts; ONNX's spread.
static void parametricRelu(OpCall &op) {
  DType dtype = op.floatType();
  Built x = op.tensor("self"), weight = op.tensor("weight");
  if (!x || !weight)
    return;
  bool isOfChannels =
      weight.rank() == 1 && x.rank() > 2 && op.source().op.find("aten") == 0;
  if (isOfChannels) {
    SizeList column(x.rank() - 1, 1);
    column[0] = weight.sizes[0];
    weight = op.build.reshape(weight, column);
  }
  op.give(combine(op.build, {x, weight}, dtype, dtype,
                  bodyOf([](ArrayRef<Number> n) {
                    return choose(0 < n[0], n[0], n[0] * n[1]);
                  })));
}

/// The first half along a dim times the sigmoid of the second.
static void gatedUnit(OpCall &op) {
  DType dtype = op.floatType();
  Built x = op.tensor("self");
  int64_t dim = op.dim("dim", x.rank(), -1);
  if (!x || !x.rank())
    return;
  SizePolynomial half = x.sizes[dim].dividedBy(2);
  if (!half.isKnown())
    return void(
        op.build.failQuotient(makeError("expected a dim of two halves, but got "
                                        "size {}",
                                        x.sizes[dim].toText()),
                              x.sizes[dim], 2));
  op.give(combine(
      op.build,
      {op.build.slice(x, dim, 0, half), op.build.slice(x, dim, half, half)},
      dtype, dtype,
      bodyOf([](ArrayRef<Number> n) { return n[0] * logistic(n[1]); })));
}

// SELU's constants: Klambauer et al., Self-Normalizing Neural Networks, 2017.
static constexpr double seluAlpha = 1.6732632423543772,
                        seluScale = 1.0507009873554805;

/// ONNX's spellings.
static void addOnnxActivations(OpTable &table) {
  auto add = [&](const char *name, Activation function,
                 std::vector<Parameter> parameters = {}) {
    table[name] =
        fromOnnx({"self"}, {}, activation(function, std::move(parameters)));
  };
  add("onnx.Sigmoid", sigmoid);
  add("onnx.Swish", swish, {{"alpha", 1}});
  add("onnx.Softplus", softplus, {{"beta", 1}, {"threshold", 20}});
  add("onnx.Softsign", softSign);
  add("onnx.Mish", mish);
  add("onnx.Elu", elu, {{"alpha", 1}, {"scale", 1}, {"input_scale", 1}});
  add("onnx.Selu", elu,
      {{"alpha", seluAlpha}, {"gamma", seluScale}, {"input_scale", 1}});
  add("onnx.Celu", celu, {{"alpha", 1}});
  add("onnx.LeakyRelu", leakyRelu, {{"alpha", 0.01}});
  add("onnx.ThresholdedRelu", threshold, {{"alpha", 1}, {"value", 0}});
  add("onnx.HardSigmoid", hardSigmoid, {{"alpha", 0.2}, {"beta", 0.5}});
  add("onnx.HardSwish", hardSwish);
  add("onnx.Shrink", shrink, {{"lambd", 0.5}, {"bias", 0}});
  table["onnx.PRelu"] = fromOnnx({"self", "weight"}, {}, parametricRelu);
}

void mixattn::addActivations(OpTable &table) {
  table["aten.sigmoid"] = activation(sigmoid);
  table["aten.silu"] = activation(swish, {{"alpha", 1}});
  table["aten.softplus"] =
      activation(softplus, {{"beta", 1}, {"threshold", 20}});
  table["aten.log_sigmoid"] = table["aten.log_sigmoid_forward"] =
      activation(logSigmoid);
  table["aten.mish"] = activation(mish);
  table["aten.elu"] =
      activation(elu, {{"alpha", 1}, {"scale", 1}, {"input_scale", 1}});
  table["aten.selu"] = activation(
      elu, {{"alpha", seluAlpha}, {"scale", seluScale}, {"input_scale", 1}});
  table["aten.celu"] = activation(celu, {{"alpha", 1}});
  table["aten.leaky_relu"] = activation(leakyRelu, {{"negative_slope", 0.01}});
  table["aten.hardtanh"] =
      activation(hardTanh, {{"min_val", -1}, {"max_val", 1}});
  table["aten.relu6"] = activation(hardTanh, {{"low", 0}, {"high", 6}});
  table["aten.hardsigmoid"] =
      activation(hardSigmoid, {{"slope", 1.0 / 6}, {"offset", 0.5}});
  table["aten.hardswish"] = activation(hardSwish);
  table["aten.threshold"] =
      activation(threshold, {{"threshold", 0}, {"value", 0}});
  table["aten.softshrink"] = activation(softShrink, {{"lambd", 0.5}});
  table["aten.hardshrink"] = activation(hardShrink, {{"lambd", 0.5}});
  table["aten.prelu"] = table["aten._prelu_kernel"] = parametricRelu;
  table["aten.glu"] = gatedUnit;
  addOnnxActivations(table);
}
