// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of a score_mod: `[op, type, operand, …]` each.
#include "lib/Runtime/ManifestParsers.h"
#include <limits>

using namespace mixattn;

/// A number, or `inf -inf nan` as a text.
static double parseNumber(const JsonView &json) {
  if (!json.isText())
    return json.number();
  std::string text = json.text();
  double infinity = std::numeric_limits<double>::infinity();
  if (text == "inf")
    return infinity;
  if (text == "-inf")
    return -infinity;
  if (text != "nan")
    json.complain(
        makeError("expected a number or inf, -inf, nan, but got '{}'", text));
  return std::numeric_limits<double>::quiet_NaN();
}

static void parseConstant(const JsonView &json, Step &step) {
  if (step.type == "f32")
    step.number = parseNumber(json);
  else
    step.integer = json.integer();
}

/// The argument that `dim` or `extract` names; its rank, or 0.
static int64_t parseArgument(const JsonView &json, const Entry &entry,
                             Step &step) {
  step.argument = json.text();
  const Parameter *argument = entry.argument(step.argument);
  if (!argument)
    json.complain(
        makeError("expected an argument, but got '{}'", step.argument));
  return argument ? static_cast<int64_t>(argument->shape.size()) : 0;
}

/// Reads the number of a step before step `number`.
static size_t parseOperand(const JsonView &json, size_t number) {
  int64_t operand = json.integer();
  if (operand >= 0 && static_cast<size_t>(operand) < number)
    return static_cast<size_t>(operand);
  json.complain(
      makeError("expected a step before step {}, but got {}", number, operand));
  return 0;
}

/// Reads what follows the op and the type; `parts` is all of step `number`.
static void parseOperands(const std::vector<JsonView> &parts,
                          const Entry &entry, size_t number, Step &step) {
  size_t next = 2;
  if (step.op == "extract") {
    int64_t rank = parseArgument(parts[next++], entry, step);
    int64_t indices = static_cast<int64_t>(parts.size() - next);
    if (indices != rank)
      parts[0].complain(
          makeError("expected {} indices, but got {}", rank, indices));
  } else if (parts.size() > next && parts[next].isText()) {
    step.predicate = parts[next++].text();
  }
  for (; next < parts.size(); ++next)
    step.operands.push_back(parseOperand(parts[next], number));
}

/// How many elements a step of this op has at least.
static size_t leastParts(const std::string &op) {
  if (op == "dim")
    return 4;
  return op == "extract" || op == "constant" ? 3 : 2;
}

static Step parseStep(const JsonView &json, const Entry &entry, size_t number) {
  Step step;
  std::vector<JsonView> parts = json.elements();
  if (parts.size() < 2) {
    json.complain(makeError(
        "expected an operation and a type, but got {} elements", parts.size()));
    return step;
  }
  step.op = parts[0].text();
  step.type = parts[1].text();
  if (size_t least = leastParts(step.op); parts.size() < least) {
    json.complain(
        makeError("expected {} elements, but got {}", least, parts.size()));
    return step;
  }
  if (step.op == "constant") {
    parseConstant(parts[2], step);
  } else if (step.op == "dim") {
    int64_t rank = parseArgument(parts[2], entry, step);
    step.integer = parts[3].integer();
    if (step.integer < 0 || step.integer >= rank)
      parts[3].complain(
          makeError("expected a dim below {}, but got {}", rank, step.integer));
  } else {
    parseOperands(parts, entry, number, step);
  }
  return step;
}

Expression mixattn::parseExpression(const JsonView &json, const Entry &entry) {
  Expression expression;
  for (const JsonView &step : json.elements())
    expression.push_back(parseStep(step, entry, expression.size()));
  if (expression.empty())
    json.complain(makeError("expected one step or more, but got none"));
  return expression;
}
