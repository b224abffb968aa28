// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes in manifests: expressions of dims.
#include "lib/Runtime/ManifestParsers.h"

using namespace mixattn;

static SizeExpression parse(const JsonView &json,
                            const std::set<std::string> &dims, int depth) {
  using Kind = SizeExpression::Kind;
  constexpr int deepest = 64;
  SizeExpression size;
  if (json.isInteger()) {
    size.number = json.integer();
    if (size.number < 0)
      json.complain(makeError("expected a number no less than 0, but got {}",
                              size.number));
    return size;
  }
  if (json.isText()) {
    size.kind = Kind::Dim;
    size.dim = json.text();
    if (!dims.count(size.dim))
      json.complain(
          makeError("expected a dim of an argument, but got '{}'", size.dim));
    return size;
  }
  std::vector<JsonView> parts = json.elements();
  std::string name = parts.empty() ? "" : parts.front().text();
  bool isThreads = name == "threads";
  if ((isThreads || name == "multiprocessors") && parts.size() == 1) {
    size.kind = isThreads ? Kind::Threads : Kind::Multiprocessors;
    return size;
  }
  std::optional<Kind> kind = SizeExpression::operationNamed(name);
  bool takesMore = kind == Kind::Add || kind == Kind::Multiply ||
                   kind == Kind::Minimum || kind == Kind::Maximum;
  if (!kind || parts.size() < 3 || (!takesMore && parts.size() > 3) ||
      depth == deepest) {
    json.complain(makeError("expected an operation of sizes and its operands, "
                            "at most {} deep, but got '{}' of {}",
                            deepest, name, parts.size() - !parts.empty()));
    return size;
  }
  size.kind = *kind;
  for (size_t i = 1; i < parts.size(); ++i)
    size.operands.push_back(parse(parts[i], dims, depth + 1));
  return size;
}

SizeExpression mixattn::parseSize(const JsonView &json,
                                  const std::set<std::string> &dims) {
  return parse(json, dims, /*depth=*/0);
}
