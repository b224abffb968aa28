// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members of ops that name arguments and results, checked against the entry.
#include "lib/Runtime/ManifestParsers.h"

using namespace mixattn;

std::string OpParser::argument(const JsonView &object, const char *role,
                               Kind kind, size_t low, size_t high) {
  JsonView member = object[role];
  std::string name = member.text();
  const Parameter *parameter = entry.argument(name);
  if (!parameter) {
    member.complain(makeError("expected an argument, but got '{}'", name));
    return name;
  }
  size_t rank = parameter->shape.size();
  if (rank < low || rank > high)
    member.complain(makeError("expected rank {} to {}, but '{}' has {}", low,
                              high, name, rank));
  Kind actual = isFloat(parameter->dtype)       ? Kind::Float
                : parameter->dtype == DType::I1 ? Kind::Boolean
                                                : Kind::Integer;
  if (actual != kind)
    member.complain(
        makeError("expected elements of another kind, but '{}' has {}", name,
                  nameOf(parameter->dtype)));
  return name;
}

std::string OpParser::optional(const char *role, Kind kind, size_t low,
                               size_t high) {
  return json.has(role) ? argument(json, role, kind, low, high) : "";
}

std::string OpParser::result(const char *role, size_t rank) {
  JsonView member = json[role];
  std::string name = member.text();
  const Parameter *parameter = entry.result(name);
  if (!parameter)
    member.complain(makeError("expected a result, but got '{}'", name));
  else if (parameter->shape.size() != rank)
    member.complain(makeError("expected a result of rank {}, but '{}' has {}",
                              rank, name, parameter->shape.size()));
  return name;
}

bool OpParser::flag(const char *role) const {
  return json.has(role) && json[role].boolean();
}

std::optional<Band> OpParser::band(const char *role) {
  if (!json.has(role))
    return std::nullopt;
  std::vector<JsonView> ends = json[role].elements();
  if (ends.size() == 2)
    return Band{ends[0].integer(), ends[1].integer()};
  json[role].complain(makeError(
      "expected a lower and an upper width, but got {} elements", ends.size()));
  return std::nullopt;
}

void OpParser::parsePerceptron(const JsonView &mix, Perceptron &perceptron) {
  perceptron.w1 = argument(mix, "w1", Kind::Float, 2, 2);
  perceptron.b1 = argument(mix, "b1", Kind::Float, 1, 1);
  perceptron.w2 = argument(mix, "w2", Kind::Float, 2, 2);
  perceptron.b2 = argument(mix, "b2", Kind::Float, 1, 1);
}

void OpParser::parseComponents(Components &components) {
  components.shifts = optional("shifts", Kind::Float, 3, 3);
  components.key =
      argument(json, "key", Kind::Float, 4, components.shifts.empty() ? 5 : 4);
  if (json.has("score")) {
    std::string score = json["score"].text();
    components.gaussian = score == "gaussian";
    if (!components.gaussian)
      json["score"].complain(
          makeError("expected 'gaussian', but got '{}'", score));
  }
  if (json.has("variances"))
    for (const JsonView &variance : json["variances"].elements())
      components.variances.push_back(variance.number());
  components.prior = optional("prior", Kind::Float, 2, 3);
}

void OpParser::parseVisibility(Visibility &visibility) {
  visibility.mask = optional("mask", Kind::Boolean, 0, 4);
  visibility.lengths = optional("lengths", Kind::Integer, 1, 1);
  visibility.start = optional("start", Kind::Integer, 1, 1);
  visibility.causal = flag("causal");
  visibility.band = band("band");
}

int64_t OpParser::componentsOf(const Components &components) {
  if (!components.shifts.empty())
    return staticSize(components.shifts, 1);
  const Parameter *key = entry.argument(components.key);
  return key && key->shape.size() == 5 ? staticSize(key, 2) : 1;
}

void OpParser::checkVariances(const Components &components, int64_t count) {
  int64_t given = static_cast<int64_t>(components.variances.size());
  if (given != count && (given != 0 || components.gaussian))
    json.complain(makeError("expected {} variances, but got {}", count, given));
}

void OpParser::requireDivisor(const std::string &name, int64_t heads) {
  int64_t shared = staticSize(name, 1);
  if (shared == 0 || heads == 0 || heads % shared != 0)
    json.complain(makeError("expected the heads of '{}' to divide {}, but got "
                            "{}",
                            name, heads, shared));
}

void OpParser::requireColumns(const std::string &name, int64_t count) {
  if (name.empty())
    return;
  int64_t columns = staticSize(name, 1);
  if (columns != count)
    json.complain(makeError("expected {} columns in '{}', but got {}", count,
                            name, columns));
}

void OpParser::forbid(const std::vector<const char *> &roles,
                      const char *reason) {
  for (const char *role : roles)
    if (json.has(role))
      json.complain(makeError("expected no '{}' with '{}'", role, reason));
}

int64_t OpParser::staticSize(const Parameter *parameter, size_t dim) {
  if (!parameter || parameter->shape.size() <= dim)
    return 0;
  const Dim &size = parameter->shape[dim];
  if (size.isDynamic())
    json.complain(
        makeError("expected a static size for dim {} of '{}', but got "
                  "'{}'",
                  dim, parameter->name, size.name));
  return size.isDynamic() ? 0 : size.value;
}
