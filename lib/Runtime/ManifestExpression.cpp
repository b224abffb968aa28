// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prefix form of a score_mod: `[op, type, operand, …]`.
#include "lib/Runtime/ManifestParsers.h"
#include <limits>

using namespace mixattn;

/// Deeper expressions are refused: evaluation recurses.
static constexpr int maximumDepth = 200;

static Expression parse(const JsonView &json, const Entry &entry, int depth);

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

static void parseConstant(const JsonView &json, Expression &expression) {
  if (expression.type == "f32")
    expression.number = parseNumber(json);
  else
    expression.integer = json.integer();
}

/// The argument that `dim` or `extract` names; its rank, or 0.
static int64_t parseArgument(const JsonView &json, const Entry &entry,
                             Expression &expression) {
  expression.argument = json.text();
  const Parameter *argument = entry.argument(expression.argument);
  if (!argument)
    json.complain(
        makeError("expected an argument, but got '{}'", expression.argument));
  return argument ? static_cast<int64_t>(argument->shape.size()) : 0;
}

/// Reads what follows the op and the type; `parts` is the whole array.
static void parseOperands(const std::vector<JsonView> &parts,
                          const Entry &entry, int depth,
                          Expression &expression) {
  size_t next = 2;
  if (expression.op == "extract") {
    int64_t rank = parseArgument(parts[next++], entry, expression);
    int64_t indices = static_cast<int64_t>(parts.size() - next);
    if (indices != rank)
      parts[0].complain(
          makeError("expected {} indices, but got {}", rank, indices));
  } else if (parts.size() > next && parts[next].isText()) {
    expression.predicate = parts[next++].text();
  }
  for (; next < parts.size(); ++next)
    expression.operands.push_back(parse(parts[next], entry, depth + 1));
}

static Expression parse(const JsonView &json, const Entry &entry, int depth) {
  Expression expression;
  if (depth > maximumDepth) {
    json.complain(
        makeError("expected at most {} nested operations", maximumDepth));
    return expression;
  }
  std::vector<JsonView> parts = json.elements();
  if (parts.size() < 2) {
    json.complain(makeError(
        "expected an operation and a type, but got {} elements", parts.size()));
    return expression;
  }
  expression.op = parts[0].text();
  expression.type = parts[1].text();
  size_t required = expression.op == "dim"        ? 4
                    : expression.op == "extract"  ? 3
                    : expression.op == "constant" ? 3
                                                  : 2;
  if (parts.size() < required) {
    json.complain(
        makeError("expected {} elements, but got {}", required, parts.size()));
    return expression;
  }
  if (expression.op == "constant") {
    parseConstant(parts[2], expression);
  } else if (expression.op == "dim") {
    int64_t rank = parseArgument(parts[2], entry, expression);
    expression.integer = parts[3].integer();
    if (expression.integer < 0 || expression.integer >= rank)
      parts[3].complain(makeError("expected a dim below {}, but got {}", rank,
                                  expression.integer));
  } else {
    parseOperands(parts, entry, depth, expression);
  }
  return expression;
}

Expression mixattn::parseExpression(const JsonView &json, const Entry &entry) {
  return parse(json, entry, 0);
}
