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

/// `{"by": "M", "factor": 4, "offset": 1}`, of a dim that no argument has: M is
/// one that has `is`.
static ToldSize parseTold(const JsonView &json, const JsonView &rules,
                          const std::set<std::string> &ofArguments) {
  ToldSize told{json["by"].text(), json["factor"].integer(),
                json["offset"].integer()};
  bool isComputed = ofArguments.count(told.by) && rules.has(told.by.c_str()) &&
                    rules[told.by.c_str()].has("is");
  if (!isComputed)
    json.complain(makeError("expected a dim of an argument that others tell, "
                            "but got '{}'",
                            told.by));
  if (told.factor < 1 || told.factor > INT32_MAX || told.offset < -INT32_MAX ||
      told.offset > INT32_MAX)
    json.complain(makeError("expected a factor from 1 on and an offset below "
                            "2^31, but got {} and {}",
                            told.factor, told.offset));
  return told;
}

/// `{"is": SIZE}` or `{"range": [least, most]}`, where the most may be absent.
static SizeRule parseRule(const JsonView &json,
                          const std::set<std::string> &dims) {
  SizeRule rule;
  if (json.has("is")) {
    rule.definition = parseSize(json["is"], dims);
    return rule;
  }
  std::vector<JsonView> ends = json["range"].elements();
  if (ends.empty() || ends.size() > 2) {
    json.complain(makeError("expected one end or two of a size, but got {}",
                            ends.size()));
    return rule;
  }
  rule.least = ends.front().integer();
  if (ends.size() > 1)
    rule.most = ends.back().integer();
  if (rule.least < 0 || rule.most.value_or(rule.least) < rule.least)
    json.complain(makeError("expected ends of a size that ascend"));
  return rule;
}

std::map<std::string, SizeRule>
mixattn::parseRules(const JsonView &json, std::set<std::string> &dims) {
  auto members = json.members();
  std::map<std::string, ToldSize> told;
  for (const auto &[name, rule] : members)
    if (rule.has("told") && !rule.has("is") && !dims.count(name))
      told[name] = parseTold(rule["told"], json, dims);
    else if (rule.has("told"))
      rule.complain(makeError("expected a dim that no argument has and that is "
                              "not computed, but got '{}'",
                              name));
  for (const auto &[name, rule] : told)
    dims.insert(name);
  // Definitions are by dims that have none, so that none waits for another.
  for (const auto &[name, rule] : members)
    if (rule.has("is"))
      dims.erase(name);
    else if (!dims.count(name))
      rule.complain(
          makeError("expected a dim of an argument, but got '{}'", name));
  std::map<std::string, SizeRule> rules;
  for (const auto &[name, rule] : members)
    rules[name] = parseRule(rule, dims);
  for (const auto &[name, each] : told)
    rules[name].told = each;
  for (const auto &[name, rule] : members)
    dims.insert(name);
  return rules;
}
