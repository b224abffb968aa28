// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates and prints expressions of dims.
#include "lib/Runtime/SizeExpression.h"
#include <algorithm>

using namespace mixattn;
using Kind = SizeExpression::Kind;

namespace {
struct Operation {
  Kind kind;
  const char *name, *sign;
};
constexpr Operation operations[] = {{Kind::Add, "add", " + "},
                                    {Kind::Subtract, "subtract", " - "},
                                    {Kind::Multiply, "multiply", " * "},
                                    {Kind::Divide, "divide", " / "},
                                    {Kind::Remainder, "remainder", " % "},
                                    {Kind::Minimum, "minimum", ", "},
                                    {Kind::Maximum, "maximum", ", "},
                                    {Kind::Above, "above", " > "},
                                    {Kind::AtMost, "at_most", " <= "}};
} // namespace

static const Operation *find(Kind kind) {
  for (const Operation &operation : operations)
    if (operation.kind == kind)
      return &operation;
  return nullptr;
}

std::optional<Kind> SizeExpression::operationNamed(const std::string &name) {
  for (const Operation &operation : operations)
    if (name == operation.name)
      return operation.kind;
  return std::nullopt;
}

bool SizeExpression::hasDimsOf(const DimSizes &sizes) const {
  return (kind != Kind::Dim || sizes.count(dim)) &&
         std::all_of(
             operands.begin(), operands.end(),
             [&](const SizeExpression &each) { return each.hasDimsOf(sizes); });
}

static std::optional<int64_t> combine(Kind kind, int64_t left, int64_t right) {
  int64_t result = 0;
  bool wraps = false;
  switch (kind) {
  case Kind::Add:
    wraps = __builtin_add_overflow(left, right, &result);
    break;
  case Kind::Subtract:
    wraps = __builtin_sub_overflow(left, right, &result);
    break;
  case Kind::Multiply:
    wraps = __builtin_mul_overflow(left, right, &result);
    break;
  case Kind::Divide:
  case Kind::Remainder:
    if (right == 0)
      return std::nullopt;
    result = kind == Kind::Divide ? left / right : left % right;
    break;
  case Kind::Minimum:
    result = std::min(left, right);
    break;
  case Kind::Maximum:
    result = std::max(left, right);
    break;
  case Kind::Above:
    result = left > right;
    break;
  case Kind::AtMost:
    result = left <= right;
    break;
  case Kind::Number:
  case Kind::Dim:
  case Kind::Threads:
  case Kind::Multiprocessors:
    return std::nullopt;
  }
  if (wraps || result < 0)
    return std::nullopt;
  return result;
}

std::optional<int64_t> SizeExpression::in(const DimSizes &sizes,
                                          int64_t threads) const {
  if (kind == Kind::Number)
    return number;
  if (kind == Kind::Dim)
    return sizes.at(dim);
  if (kind == Kind::Threads)
    return threads;
  if (kind == Kind::Multiprocessors)
    return std::nullopt;
  std::optional<int64_t> result = operands.front().in(sizes, threads);
  for (size_t i = 1; result && i < operands.size(); ++i) {
    std::optional<int64_t> next = operands[i].in(sizes, threads);
    result = next ? combine(kind, *result, *next) : std::nullopt;
  }
  return result;
}

std::string SizeExpression::toString() const {
  if (kind == Kind::Number)
    return std::to_string(number);
  if (kind == Kind::Dim)
    return dim;
  if (kind == Kind::Threads)
    return "threads";
  if (kind == Kind::Multiprocessors)
    return "multiprocessors";
  std::string text;
  for (const SizeExpression &operand : operands)
    text += (text.empty() ? "" : find(kind)->sign) + operand.toString();
  if (kind == Kind::Minimum || kind == Kind::Maximum)
    return (kind == Kind::Minimum ? "min(" : "max(") + text + ")";
  return "(" + text + ")";
}
