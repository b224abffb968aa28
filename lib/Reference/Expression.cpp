// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns the manifest's prefix expressions into functions.
#include "lib/Reference/Expression.h"
#include "lib/Reference/Operations.h"
#include <cmath>
#include <limits>

using namespace mixattn;

namespace {

/// A float, or an integer sign-extended from the width of its type.
struct Scalar {
  double real = 0;
  int64_t integer = 0;
};

using Function = std::function<Scalar(const ScorePoint &)>;
using Functions = std::vector<Function>;

/// Compiles the nodes of one expression.
class Compiler {
public:
  explicit Compiler(const std::map<std::string, const Tensor *> &arguments)
      : arguments(arguments) {}

  Result<Function> compile(const Expression &expression);

private:
  Result<Function> compileLeaf(const Expression &expression);
  Result<Function> compileExtract(const Expression &expression,
                                  Functions indices);
  Result<Function> compileComparison(const Expression &expression,
                                     const Functions &operands);
  Result<Function> compileOperation(const Expression &expression,
                                    const Functions &operands);
  Result<const Tensor *> argumentOf(const Expression &expression) const;

  const std::map<std::string, const Tensor *> &arguments;
};

} // namespace

static Scalar real(double value) { return {value, 0}; }
static Scalar integer(int64_t value, unsigned width) {
  return {0, signExtend(value, width)};
}
static Scalar truth(bool value) { return integer(value, 1); }

/// Bits of an integer type; an index has 64, and so has what is no integer.
static unsigned widthOf(const std::string &type) {
  if (type == "i1")
    return 1;
  if (type == "i8")
    return 8;
  if (type == "i16")
    return 16;
  if (type == "i32")
    return 32;
  return 64;
}

/// The integer next to `value` towards zero; 0 where 64 bits do not hold it.
static int64_t toInteger(double value) {
  return std::fabs(value) < 0x1p63 ? static_cast<int64_t>(value) : 0;
}
static int64_t toUnsigned(double value) {
  return value > -1 && value < 0x1p64
             ? static_cast<int64_t>(static_cast<uint64_t>(value))
             : 0;
}

static Status expectOperands(const Expression &expression, size_t count) {
  if (expression.operands.size() != count)
    return makeError("score_mod: '{}' expected {} operands, but got {}",
                     expression.op, count, expression.operands.size());
  return Success();
}

Result<const Tensor *>
Compiler::argumentOf(const Expression &expression) const {
  auto argument = arguments.find(expression.argument);
  if (argument == arguments.end())
    return makeError("score_mod: there is no argument '{}'",
                     expression.argument);
  return argument->second;
}

/// What needs no operands; an empty function for any other op.
Result<Function> Compiler::compileLeaf(const Expression &expression) {
  const std::string &op = expression.op;
  if (op == "score")
    return Function([](const ScorePoint &p) { return real(p.score); });
  if (op == "b")
    return Function([](const ScorePoint &p) { return integer(p.b, 64); });
  if (op == "h")
    return Function([](const ScorePoint &p) { return integer(p.h, 64); });
  if (op == "i")
    return Function([](const ScorePoint &p) { return integer(p.i, 64); });
  if (op == "j")
    return Function([](const ScorePoint &p) { return integer(p.j, 64); });
  if (op == "constant") {
    Scalar value = integer(expression.integer, widthOf(expression.type));
    value.real = expression.number;
    return Function([value](const ScorePoint &) { return value; });
  }
  if (op == "dim") {
    Result<const Tensor *> tensor = argumentOf(expression);
    if (!tensor)
      return tensor.error();
    const Shape &shape = (*tensor)->shape();
    if (expression.integer < 0 ||
        expression.integer >= static_cast<int64_t>(shape.size()))
      return makeError("score_mod: argument '{}' has no dim {}",
                       expression.argument, expression.integer);
    Scalar size = integer(shape[expression.integer], 64);
    return Function([size](const ScorePoint &) { return size; });
  }
  return Function();
}

Result<Function> Compiler::compileExtract(const Expression &expression,
                                          Functions indices) {
  Result<const Tensor *> tensor = argumentOf(expression);
  if (!tensor)
    return tensor.error();
  if (Status count = expectOperands(expression, (*tensor)->shape().size());
      !count)
    return count.error();
  unsigned width = widthOf(expression.type);
  return Function([tensor = *tensor, indices, width](const ScorePoint &p) {
    int64_t position = 0;
    for (size_t dim = 0; dim < indices.size(); ++dim) {
      int64_t size = tensor->shape()[dim];
      int64_t index = indices[dim](p).integer;
      if (index < 0 || index >= size)
        return real(std::numeric_limits<double>::quiet_NaN());
      position = position * size + index;
    }
    return isFloat(tensor->dtype()) ? real(tensor->number(position))
                                    : integer(tensor->integer(position), width);
  });
}

Result<Function> Compiler::compileComparison(const Expression &expression,
                                             const Functions &operands) {
  if (Status count = expectOperands(expression, 2); !count)
    return count.error();
  const Function &a = operands[0], &b = operands[1];
  if (expression.op == "arith.cmpf") {
    if (auto holds = floatPredicateNamed(expression.predicate))
      return Function([=](const ScorePoint &p) {
        return truth(holds(a(p).real, b(p).real));
      });
  } else if (auto holds = integerPredicateNamed(expression.predicate)) {
    return Function([=](const ScorePoint &p) {
      return truth(holds(a(p).integer, b(p).integer));
    });
  }
  return makeError("score_mod: '{}' has no predicate '{}'", expression.op,
                   expression.predicate);
}

namespace {

/// Calls an operation of any kind on the values of its operands.
struct Apply {
  const Expression &expression;
  const Functions &x;
  unsigned width = widthOf(expression.type);

  Result<Function> operator()(std::monostate) const {
    return makeError("score_mod: unknown op '{}'", expression.op);
  }
  Result<Function> operator()(double (*f)(double)) const {
    return make<1>([f](const Scalar *v) { return real(f(v[0].real)); });
  }
  Result<Function> operator()(double (*f)(double, double)) const {
    return make<2>(
        [f](const Scalar *v) { return real(f(v[0].real, v[1].real)); });
  }
  Result<Function> operator()(double (*f)(double, double, double)) const {
    return make<3>([f](const Scalar *v) {
      return real(f(v[0].real, v[1].real, v[2].real));
    });
  }
  Result<Function> operator()(bool (*f)(double)) const {
    return make<1>([f](const Scalar *v) { return truth(f(v[0].real)); });
  }
  Result<Function> operator()(int64_t (*f)(int64_t)) const {
    return make<1>([f, width = width](const Scalar *v) {
      return integer(f(v[0].integer), width);
    });
  }
  Result<Function> operator()(IntegerBinary f) const {
    return make<2>([f, width = width](const Scalar *v) {
      return integer(f(v[0].integer, v[1].integer, width), width);
    });
  }

  /// A function of `count` operands.
  template <size_t count, typename Call>
  Result<Function> make(Call call) const {
    if (Status status = expectOperands(expression, count); !status)
      return status.error();
    return Function([call, x = x](const ScorePoint &p) {
      Scalar values[count];
      for (size_t n = 0; n < count; ++n)
        values[n] = x[n](p);
      return call(values);
    });
  }
};

} // namespace

/// Casts, select and the operations of the tables.
Result<Function> Compiler::compileOperation(const Expression &expression,
                                            const Functions &operands) {
  const std::string &op = expression.op;
  Apply apply{expression, operands};
  unsigned to = apply.width;
  unsigned from =
      operands.empty() ? 64 : widthOf(expression.operands.front().type);
  // Score mods are evaluated in f32, for which double stands here.
  if (op == "arith.extf" || op == "arith.truncf")
    return apply.make<1>([](const Scalar *v) { return v[0]; });
  if (op == "arith.extsi" || op == "arith.trunci" || op == "arith.index_cast")
    return apply.make<1>(
        [to](const Scalar *v) { return integer(v[0].integer, to); });
  if (op == "arith.extui" || op == "arith.index_castui")
    return apply.make<1>([from, to](const Scalar *v) {
      return integer(static_cast<int64_t>(zeroExtend(v[0].integer, from)), to);
    });
  if (op == "arith.sitofp")
    return apply.make<1>([](const Scalar *v) {
      return real(static_cast<double>(v[0].integer));
    });
  if (op == "arith.uitofp")
    return apply.make<1>([from](const Scalar *v) {
      return real(static_cast<double>(zeroExtend(v[0].integer, from)));
    });
  if (op == "arith.fptosi")
    return apply.make<1>(
        [to](const Scalar *v) { return integer(toInteger(v[0].real), to); });
  if (op == "arith.fptoui")
    return apply.make<1>(
        [to](const Scalar *v) { return integer(toUnsigned(v[0].real), to); });
  if (op == "arith.select")
    return apply.make<3>(
        [](const Scalar *v) { return v[0].integer ? v[1] : v[2]; });
  if (op == "math.fpowi")
    return apply.make<2>([](const Scalar *v) {
      return real(std::pow(v[0].real, static_cast<double>(v[1].integer)));
    });
  return std::visit(apply, operationNamed(op));
}

Result<Function> Compiler::compile(const Expression &expression) {
  Result<Function> leaf = compileLeaf(expression);
  if (!leaf || *leaf)
    return leaf;
  Functions operands;
  for (const Expression &operand : expression.operands) {
    Result<Function> function = compile(operand);
    if (!function)
      return function;
    operands.push_back(std::move(*function));
  }
  if (expression.op == "extract")
    return compileExtract(expression, std::move(operands));
  if (expression.op == "arith.cmpf" || expression.op == "arith.cmpi")
    return compileComparison(expression, operands);
  return compileOperation(expression, operands);
}

Result<ScoreMod> mixattn::compileScoreMod(
    const Expression &expression,
    const std::map<std::string, const Tensor *> &arguments) {
  Result<Function> function = Compiler(arguments).compile(expression);
  if (!function)
    return function.error();
  return ScoreMod([function = std::move(*function)](const ScorePoint &p) {
    return function(p).real;
  });
}
