// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attention object of a manifest, checked against the arguments.
#include "lib/Runtime/ManifestParsers.h"

using namespace mixattn;

namespace {
/// What an argument in some role may hold.
enum class Kind { Float, Integer, Boolean };

/// Reads one attention object.
class AttentionParser {
public:
  AttentionParser(const JsonView &json, const Entry &entry)
      : json(json), entry(entry) {}
  Attention parse();

private:
  /// Reads the name of an argument of that kind and of rank `low` to `high`.
  std::string argument(const JsonView &object, const char *role, Kind kind,
                       size_t low, size_t high);
  std::string optional(const char *role, Kind kind, size_t low, size_t high);
  void parsePostmix(const JsonView &postmix, Postmix &result);
  void checkHeads(const Attention &attention);
  /// The static size of a dim; 0 and an error where it is dynamic.
  int64_t staticSize(const std::string &name, size_t dim);

  const JsonView &json;
  const Entry &entry;
};
} // namespace

static Kind kindOf(DType dtype) {
  return isFloat(dtype)       ? Kind::Float
         : dtype == DType::I1 ? Kind::Boolean
                              : Kind::Integer;
}

std::string AttentionParser::argument(const JsonView &object, const char *role,
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
  if (kindOf(parameter->dtype) != kind)
    member.complain(
        makeError("expected elements of another kind, but '{}' has {}", name,
                  nameOf(parameter->dtype)));
  return name;
}

std::string AttentionParser::optional(const char *role, Kind kind, size_t low,
                                      size_t high) {
  return json.has(role) ? argument(json, role, kind, low, high) : "";
}

void AttentionParser::parsePostmix(const JsonView &postmix, Postmix &result) {
  std::string kind = postmix["kind"].text();
  result.byRow = kind == "rows";
  if (result.byRow) {
    result.source = argument(postmix, "source", Kind::Float, 4, 4);
    result.w = argument(postmix, "w", Kind::Float, 2, 2);
    result.b = argument(postmix, "b", Kind::Float, 2, 2);
  } else if (kind == "heads") {
    result.mixer = argument(postmix, "mixer", Kind::Float, 2, 2);
  } else {
    postmix.complain(
        makeError("expected kind 'heads' or 'rows', but got '{}'", kind));
  }
}

int64_t AttentionParser::staticSize(const std::string &name, size_t dim) {
  const Parameter *parameter = entry.argument(name);
  if (!parameter || parameter->shape.size() <= dim)
    return 0;
  const Dim &size = parameter->shape[dim];
  if (size.isDynamic())
    json.complain(
        makeError("expected a static size for dim {} of '{}', but got "
                  "'{}'",
                  dim, name, size.name));
  return size.isDynamic() ? 0 : size.value;
}

void AttentionParser::checkHeads(const Attention &attention) {
  int64_t heads = staticSize(attention.query, 1);
  for (const std::string *name : {&attention.key, &attention.value}) {
    int64_t shared = staticSize(*name, 1);
    if (shared == 0 || heads % shared != 0)
      json.complain(
          makeError("expected the heads of '{}' to divide {}, but got {}",
                    *name, heads, shared));
  }
}

Attention AttentionParser::parse() {
  Attention attention;
  attention.query = argument(json, "query", Kind::Float, 4, 4);
  attention.key = argument(json, "key", Kind::Float, 4, 4);
  attention.value = argument(json, "value", Kind::Float, 4, 4);
  attention.result = json["result"].text();
  if (!entry.result(attention.result))
    json["result"].complain(
        makeError("expected a result, but got '{}'", attention.result));
  attention.scale = json["scale"].number();
  attention.bias = optional("bias", Kind::Float, 0, 4);
  attention.mask = optional("mask", Kind::Boolean, 0, 4);
  attention.lengths = optional("lengths", Kind::Integer, 1, 1);
  attention.causal = json.has("causal") && json["causal"].boolean();
  if (json.has("band")) {
    std::vector<JsonView> ends = json["band"].elements();
    if (ends.size() == 2)
      attention.band = Band{ends[0].integer(), ends[1].integer()};
    else
      json["band"].complain(
          makeError("expected a lower and an upper width, but got {} elements",
                    ends.size()));
  }
  attention.normaliser = json["normaliser"].text();
  if (json.has("score_mod"))
    attention.scoreMod = parseExpression(json["score_mod"], entry);
  if (json.has("postmix"))
    parsePostmix(json["postmix"], attention.postmix.emplace());
  checkHeads(attention);
  return attention;
}

Attention mixattn::parseAttention(const JsonView &json, const Entry &entry) {
  return AttentionParser(json, entry).parse();
}
