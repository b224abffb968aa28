// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every operation of a score_mod, at values that tell it from its neighbours.
#include "lib/Reference/Expression.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace mixattn;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Expression leaf(const char *op, const char *type) {
  Step step;
  step.op = op;
  step.type = type;
  return {step};
}

Expression real(double value) {
  Expression expression = leaf("constant", "f32");
  expression.back().number = value;
  return expression;
}

Expression integer(int64_t value, const char *type) {
  Expression expression = leaf("constant", type);
  expression.back().integer = value;
  return expression;
}

/// The operands' steps, one operand's after the other's, and one on them all.
Expression call(const char *op, const char *type,
                const std::vector<Expression> &operands,
                const char *predicate = "") {
  Expression expression;
  Step last;
  last.op = op;
  last.type = type;
  last.predicate = predicate;
  for (const Expression &operand : operands) {
    size_t first = expression.size();
    for (Step step : operand) {
      for (size_t &before : step.operands)
        before += first;
      expression.push_back(step);
    }
    last.operands.push_back(expression.size() - 1);
  }
  expression.push_back(last);
  return expression;
}

/// The value of a float expression at batch 1, head 2, query 3, key 4.
double evaluate(const Expression &expression,
                const std::map<std::string, const Tensor *> &arguments = {}) {
  Result<ScoreMod> function = compileScoreMod(expression, arguments);
  EXPECT_TRUE(function) << (function ? "" : function.message());
  return function ? (*function)({0.5, 1, 2, 3, 4}) : nan;
}

/// The value of an integer expression.
double evaluateInteger(const Expression &expression) {
  return evaluate(call("arith.sitofp", "f32", {expression}));
}

std::string errorOf(const Expression &expression,
                    const std::map<std::string, const Tensor *> &arguments) {
  Result<ScoreMod> function = compileScoreMod(expression, arguments);
  EXPECT_FALSE(function);
  return function ? "" : function.message();
}

TEST(Expression, ReadsTheScoreAndItsPlace) {
  EXPECT_EQ(evaluate(leaf("score", "f32")), 0.5);
  EXPECT_EQ(evaluateInteger(leaf("b", "index")), 1);
  EXPECT_EQ(evaluateInteger(leaf("h", "index")), 2);
  EXPECT_EQ(evaluateInteger(leaf("i", "index")), 3);
  EXPECT_EQ(evaluateInteger(leaf("j", "index")), 4);
}

TEST(Expression, ComputesFloats) {
  const struct {
    const char *op;
    std::vector<double> operands;
    double expected;
  } cases[] = {
      {"arith.addf", {3, 4}, 7},
      {"arith.subf", {3, 4}, -1},
      {"arith.mulf", {3, 4}, 12},
      {"arith.divf", {3, 4}, 0.75},
      {"arith.remf", {-7, 4}, -3},
      {"arith.negf", {3}, -3},
      {"arith.maximumf", {3, 4}, 4},
      {"arith.maximumf", {3, nan}, nan},
      {"arith.minimumf", {3, 4}, 3},
      {"arith.minimumf", {nan, 4}, nan},
      {"arith.maxnumf", {3, nan}, 3},
      {"arith.minnumf", {nan, 4}, 4},
      {"arith.extf", {3}, 3},
      {"arith.truncf", {3}, 3},
      {"math.absf", {-3}, 3},
      {"math.acos", {0}, 1.5707963267948966},
      {"math.acosh", {1}, 0},
      {"math.asin", {1}, 1.5707963267948966},
      {"math.asinh", {1}, 0.8813735870195430},
      {"math.atan", {1}, 0.7853981633974483},
      {"math.atan2", {1, -1}, 2.356194490192345},
      {"math.atanh", {0.5}, 0.5493061443340548},
      {"math.cbrt", {-27}, -3},
      {"math.ceil", {-1.5}, -1},
      {"math.clampf", {5, 1, 3}, 3},
      {"math.clampf", {0, 1, 3}, 1},
      {"math.copysign", {3, -1}, -3},
      {"math.cos", {1}, 0.5403023058681398},
      {"math.cosh", {1}, 1.5430806348152437},
      {"math.erf", {1}, 0.8427007929497149},
      {"math.erfc", {1}, 0.15729920705028513},
      {"math.exp", {1}, 2.718281828459045},
      {"math.exp2", {3}, 8},
      {"math.expm1", {1}, 1.718281828459045},
      {"math.floor", {-1.5}, -2},
      {"math.fma", {2, 3, 4}, 10},
      {"math.log", {2}, 0.6931471805599453},
      {"math.log10", {1000}, 3},
      {"math.log1p", {1}, 0.6931471805599453},
      {"math.log2", {8}, 3},
      {"math.powf", {2, 0.5}, 1.4142135623730951},
      {"math.round", {-2.5}, -3},
      {"math.roundeven", {-2.5}, -2},
      {"math.rsqrt", {4}, 0.5},
      {"math.sin", {1}, 0.8414709848078965},
      {"math.sinh", {1}, 1.1752011936438014},
      {"math.sqrt", {9}, 3},
      {"math.tan", {1}, 1.5574077246549023},
      {"math.tanh", {1}, 0.7615941559557649},
      {"math.trunc", {-1.5}, -1},
  };
  for (const auto &test : cases) {
    std::vector<Expression> operands;
    for (double operand : test.operands)
      operands.push_back(real(operand));
    double actual = evaluate(call(test.op, "f32", operands));
    if (std::isnan(test.expected))
      EXPECT_TRUE(std::isnan(actual)) << test.op;
    else
      EXPECT_NEAR(actual, test.expected, 1e-15 * std::fabs(test.expected))
          << test.op;
  }
}

TEST(Expression, ComputesIntegersAtTheirWidth) {
  const struct {
    const char *op, *type;
    std::vector<int64_t> operands;
    int64_t expected;
  } cases[] = {
      {"arith.addi", "i32", {INT32_MAX, 1}, INT32_MIN},
      {"arith.addi", "i64", {INT32_MAX, 1}, int64_t(INT32_MAX) + 1},
      {"arith.subi", "index", {3, 5}, -2},
      {"arith.muli", "i8", {100, 3}, 44},
      {"arith.divsi", "i64", {-7, 2}, -3},
      {"arith.divsi", "i64", {-7, 0}, 0},
      {"arith.divsi", "i64", {INT64_MIN, -1}, INT64_MIN},
      {"arith.divui", "i32", {-1, 2}, INT32_MAX},
      {"arith.remsi", "i64", {-7, 2}, -1},
      {"arith.remsi", "i64", {INT64_MIN, -1}, 0},
      {"arith.remui", "i32", {-1, 10}, 5},
      {"arith.ceildivsi", "i64", {-7, 2}, -3},
      {"arith.ceildivsi", "i64", {7, 2}, 4},
      {"arith.ceildivui", "i64", {7, 2}, 4},
      {"arith.floordivsi", "i64", {-7, 2}, -4},
      {"arith.floordivsi", "i64", {7, -2}, -4},
      {"arith.floordivsi", "i64", {-8, 2}, -4},
      {"arith.maxsi", "i32", {-1, 1}, 1},
      {"arith.minsi", "i32", {-1, 1}, -1},
      {"arith.maxui", "i32", {-1, 1}, -1},
      {"arith.minui", "i32", {-1, 1}, 1},
      {"arith.andi", "i32", {6, 3}, 2},
      {"arith.ori", "i32", {6, 3}, 7},
      {"arith.xori", "i32", {6, 3}, 5},
      {"arith.shli", "i32", {1, 31}, INT32_MIN},
      {"arith.shli", "i32", {1, 32}, 0},
      {"arith.shrsi", "i32", {-8, 1}, -4},
      {"arith.shrui", "i32", {-8, 1}, INT32_MAX - 3},
      {"math.absi", "i32", {-3}, 3},
      {"math.ipowi", "i64", {-3, 3}, -27},
      {"math.ipowi", "i64", {2, -1}, 0},
      {"math.ipowi", "i64", {-1, -3}, -1},
  };
  for (const auto &test : cases) {
    std::vector<Expression> operands;
    for (int64_t operand : test.operands)
      operands.push_back(integer(operand, test.type));
    EXPECT_EQ(evaluateInteger(call(test.op, test.type, operands)),
              static_cast<double>(test.expected))
        << test.op;
  }
}

TEST(Expression, Casts) {
  auto cast = [](const char *op, Expression operand, const char *to) {
    return call(op, to, {std::move(operand)});
  };
  EXPECT_EQ(evaluateInteger(cast("arith.extsi", integer(1, "i1"), "i32")), -1);
  EXPECT_EQ(evaluateInteger(cast("arith.extui", integer(1, "i1"), "i32")), 1);
  EXPECT_EQ(evaluateInteger(cast("arith.trunci", integer(300, "i32"), "i8")),
            44);
  EXPECT_EQ(
      evaluateInteger(cast("arith.index_cast", integer(-2, "i32"), "index")),
      -2);
  EXPECT_EQ(
      evaluateInteger(cast("arith.index_castui", integer(-2, "i32"), "index")),
      4294967294);
  EXPECT_EQ(evaluate(cast("arith.uitofp", integer(-1, "i32"), "f32")),
            4294967295);
  EXPECT_EQ(evaluateInteger(cast("arith.fptosi", real(-2.75), "i32")), -2);
  EXPECT_EQ(evaluateInteger(cast("arith.fptosi", real(infinity), "i64")), 0);
  EXPECT_EQ(evaluateInteger(cast("arith.fptoui", real(2.75), "i32")), 2);
  EXPECT_EQ(evaluate(call("math.fpowi", "f32", {real(2), integer(-2, "i32")})),
            0.25);
}

TEST(Expression, ComparesAndSelects) {
  // The truth of a predicate at a < b, a = b, a > b and where one is NaN.
  const struct {
    const char *predicate, *truth;
  } floats[] = {
      {"false", "0000"}, {"oeq", "0100"}, {"ogt", "0010"}, {"oge", "0110"},
      {"olt", "1000"},   {"ole", "1100"}, {"one", "1010"}, {"ord", "1110"},
      {"ueq", "0101"},   {"ugt", "0011"}, {"uge", "0111"}, {"ult", "1001"},
      {"ule", "1101"},   {"une", "1011"}, {"uno", "0001"}, {"true", "1111"}};
  auto truthOf = [](Expression comparison) {
    double value = evaluate(
        call("arith.select", "f32", {std::move(comparison), real(1), real(0)}));
    return value == 1 ? '1' : '0';
  };
  for (const auto &test : floats) {
    std::string truth;
    for (double a : {1.0, 2.0, 3.0, nan})
      truth +=
          truthOf(call("arith.cmpf", "i1", {real(a), real(2)}, test.predicate));
    EXPECT_EQ(truth, test.truth) << test.predicate;
  }
  // At 1 and 2, 2 and 2, -1 and 2.
  const struct {
    const char *predicate, *truth;
  } integers[] = {{"eq", "010"},  {"ne", "101"},  {"slt", "101"},
                  {"sle", "111"}, {"sgt", "000"}, {"sge", "010"},
                  {"ult", "100"}, {"ule", "110"}, {"ugt", "001"},
                  {"uge", "011"}};
  for (const auto &test : integers) {
    std::string truth;
    for (int64_t a : {1, 2, -1})
      truth +=
          truthOf(call("arith.cmpi", "i1",
                       {integer(a, "i32"), integer(2, "i32")}, test.predicate));
    EXPECT_EQ(truth, test.truth) << test.predicate;
  }
  EXPECT_EQ(truthOf(call("math.isnan", "i1", {real(nan)})), '1');
  EXPECT_EQ(truthOf(call("math.isinf", "i1", {real(infinity)})), '1');
  EXPECT_EQ(truthOf(call("math.isfinite", "i1", {real(nan)})), '0');
  EXPECT_EQ(truthOf(call("math.isnormal", "i1", {real(0)})), '0');
}

TEST(Expression, LooksAtArguments) {
  Result<Tensor> tensor = Tensor::allocate(DType::F32, {2, 3});
  ASSERT_TRUE(tensor);
  for (int64_t n = 0; n < 6; ++n)
    tensor->setNumber(n, 10 + n);
  std::map<std::string, const Tensor *> arguments = {{"table", &*tensor}};

  Expression size = leaf("dim", "index");
  size.back().argument = "table";
  size.back().integer = 1;
  EXPECT_EQ(evaluate(call("arith.sitofp", "f32", {size}), arguments), 3);

  // The point lies at b = 1, h = 2, and no row has four elements.
  auto extract = [](Expression row, Expression column) {
    Expression element = call("extract", "f32", {row, column});
    element.back().argument = "table";
    return element;
  };
  Expression b = leaf("b", "index"), h = leaf("h", "index");
  EXPECT_EQ(evaluate(extract(b, h), arguments), 15);
  EXPECT_TRUE(std::isnan(evaluate(extract(b, leaf("i", "index")), arguments)));
}

// Twice the value before, a thousand times: each step is computed once.
TEST(Expression, TakesAStepTwice) {
  Expression expression = real(1);
  for (size_t n = 0; n < 1000; ++n) {
    Step step;
    step.op = "arith.addf";
    step.type = "f32";
    step.operands = {n, n};
    expression.push_back(step);
  }
  EXPECT_EQ(evaluate(expression), std::ldexp(1.0, 1000));
}

TEST(Expression, RefusesWhatItDoesNotKnow) {
  Result<Tensor> tensor = Tensor::allocate(DType::F32, {2});
  ASSERT_TRUE(tensor);
  std::map<std::string, const Tensor *> arguments = {{"slopes", &*tensor}};
  EXPECT_EQ(errorOf(call("math.sincos", "f32", {real(1)}), arguments),
            "score_mod: unknown op 'math.sincos'");
  EXPECT_EQ(errorOf(call("arith.addf", "f32", {real(1)}), arguments),
            "score_mod: 'arith.addf' expected 2 operands, but got 1");
  EXPECT_EQ(
      errorOf(call("arith.cmpf", "i1", {real(1), real(2)}, "lt"), arguments),
      "score_mod: 'arith.cmpf' has no predicate 'lt'");
  Expression size = leaf("dim", "index");
  size.back().argument = "slope";
  EXPECT_EQ(errorOf(size, arguments),
            "score_mod: there is no argument 'slope'");
  size.back().argument = "slopes";
  size.back().integer = 1;
  EXPECT_EQ(errorOf(size, arguments),
            "score_mod: argument 'slopes' has no dim 1");
}

} // namespace
