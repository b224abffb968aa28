// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns the steps of the manifest's expressions into functions.
#include "lib/Reference/Expression.h"
#include "lib/Reference/Operations.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

using namespace mixattn;

namespace {

/// A float, or an integer sign-extended from the width of its type.
struct Scalar {
  double real = 0;
  int64_t integer = 0;
};

/// Computes a step at a point, from the values of the steps before it.
using Function = std::function<Scalar(const ScorePoint &, const Scalar *)>;

/// Compiles the steps of one expression.
class Compiler {
public:
  Compiler(const Expression &steps,
           const std::map<std::string, const Tensor *> &arguments)
      : steps(steps), arguments(arguments) {}

  Result<Function> compile(const Step &step) const;

private:
  Result<Function> compileLeaf(const Step &step) const;
  Result<Function> compileExtract(const Step &step) const;
  Result<Function> compileOperation(const Step &step) const;
  Result<const Tensor *> argumentOf(const Step &step) const;

  const Expression &steps;
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

static Status expectOperands(const Step &step, size_t count) {
  if (step.operands.size() != count)
    return makeError("score_mod: '{}' expected {} operands, but got {}",
                     step.op, count, step.operands.size());
  return Success();
}

Result<const Tensor *> Compiler::argumentOf(const Step &step) const {
  auto argument = arguments.find(step.argument);
  if (argument == arguments.end())
    return makeError("score_mod: there is no argument '{}'", step.argument);
  return argument->second;
}

/// A function of the point alone.
template <typename Call> static Function leaf(Call call) {
  return [call](const ScorePoint &p, const Scalar *) { return call(p); };
}

/// Compiles an op that needs no operands; an empty function for any other op.
Result<Function> Compiler::compileLeaf(const Step &step) const {
  const std::string &op = step.op;
  if (op == "score")
    return leaf([](const ScorePoint &p) { return real(p.score); });
  if (op == "b")
    return leaf([](const ScorePoint &p) { return integer(p.b, 64); });
  if (op == "h")
    return leaf([](const ScorePoint &p) { return integer(p.h, 64); });
  if (op == "i")
    return leaf([](const ScorePoint &p) { return integer(p.i, 64); });
  if (op == "j")
    return leaf([](const ScorePoint &p) { return integer(p.j, 64); });
  if (op == "constant") {
    Scalar value = integer(step.integer, widthOf(step.type));
    value.real = step.number;
    return leaf([value](const ScorePoint &) { return value; });
  }
  if (op == "dim") {
    Result<const Tensor *> tensor = argumentOf(step);
    if (!tensor)
      return tensor.error();
    const Shape &shape = (*tensor)->shape();
    if (step.integer < 0 || step.integer >= static_cast<int64_t>(shape.size()))
      return makeError("score_mod: argument '{}' has no dim {}", step.argument,
                       step.integer);
    Scalar size = integer(shape[step.integer], 64);
    return leaf([size](const ScorePoint &) { return size; });
  }
  return Function();
}

Result<Function> Compiler::compileExtract(const Step &step) const {
  Result<const Tensor *> tensor = argumentOf(step);
  if (!tensor)
    return tensor.error();
  if (Status count = expectOperands(step, (*tensor)->shape().size()); !count)
    return count.error();
  return Function([tensor = *tensor, indices = step.operands,
                   width = widthOf(step.type)](const ScorePoint &,
                                               const Scalar *values) {
    int64_t position = 0;
    for (size_t dim = 0; dim < indices.size(); ++dim) {
      int64_t size = tensor->shape()[dim];
      int64_t index = values[indices[dim]].integer;
      if (index < 0 || index >= size)
        return real(std::numeric_limits<double>::quiet_NaN());
      position = position * size + index;
    }
    return isFloat(tensor->dtype()) ? real(tensor->number(position))
                                    : integer(tensor->integer(position), width);
  });
}

namespace {

/// Calls an operation of any kind on the values of its operands.
struct Apply {
  const Step &step;
  unsigned width = widthOf(step.type);

  Result<Function> operator()(std::monostate) const {
    return makeError("score_mod: unknown op '{}'", step.op);
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
    if (Status status = expectOperands(step, count); !status)
      return status.error();
    std::array<size_t, count> operands;
    std::copy_n(step.operands.begin(), count, operands.begin());
    return Function([call, operands](const ScorePoint &, const Scalar *values) {
      Scalar given[count];
      for (size_t n = 0; n < count; ++n)
        given[n] = values[operands[n]];
      return call(given);
    });
  }
};

} // namespace

static Result<Function> compileComparison(const Apply &apply) {
  const Step &step = apply.step;
  if (step.op == "arith.cmpf") {
    if (auto holds = floatPredicateNamed(step.predicate))
      return apply.make<2>([holds](const Scalar *v) {
        return truth(holds(v[0].real, v[1].real));
      });
  } else if (auto holds = integerPredicateNamed(step.predicate)) {
    return apply.make<2>([holds](const Scalar *v) {
      return truth(holds(v[0].integer, v[1].integer));
    });
  }
  return makeError("score_mod: '{}' has no predicate '{}'", step.op,
                   step.predicate);
}

/// Comparisons, casts, select and the operations of the tables.
Result<Function> Compiler::compileOperation(const Step &step) const {
  const std::string &op = step.op;
  Apply apply{step};
  if (op == "arith.cmpf" || op == "arith.cmpi")
    return compileComparison(apply);
  unsigned to = apply.width;
  unsigned from =
      step.operands.empty() ? 64 : widthOf(steps[step.operands.front()].type);
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

Result<Function> Compiler::compile(const Step &step) const {
  Result<Function> leaf = compileLeaf(step);
  if (!leaf || *leaf)
    return leaf;
  return step.op == "extract" ? compileExtract(step) : compileOperation(step);
}

Result<ScoreMod> mixattn::compileScoreMod(
    const Expression &expression,
    const std::map<std::string, const Tensor *> &arguments) {
  Compiler compiler(expression, arguments);
  std::vector<Function> functions;
  for (const Step &step : expression) {
    Result<Function> function = compiler.compile(step);
    if (!function)
      return function.error();
    functions.push_back(std::move(*function));
  }
  return ScoreMod([functions = std::move(functions),
                   values = std::vector<Scalar>(expression.size())](
                      const ScorePoint &p) mutable {
    for (size_t n = 0; n < functions.size(); ++n)
      values[n] = functions[n](p, values.data());
    return values.back().real;
  });
}
