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
  /// Reads the name of a result of that rank.
  std::string result(const char *role, size_t rank);
  void parseComponents(Attention &attention);
  void parsePremix(const JsonView &premix, Premix &result);
  void parsePostmix(const JsonView &postmix, Postmix &result);
  void checkVariances(const Attention &attention);
  void checkHeads(const Attention &attention);
  void requireDivisor(const std::string &name, int64_t heads);
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

std::string AttentionParser::result(const char *role, size_t rank) {
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

/// Keys of rank 5, or shifts of a key, are components to combine.
void AttentionParser::parseComponents(Attention &attention) {
  attention.shifts = optional("shifts", Kind::Float, 3, 3);
  bool isShifted = !attention.shifts.empty();
  attention.key = argument(json, "key", Kind::Float, 4, isShifted ? 4 : 5);
  if (json.has("score")) {
    std::string score = json["score"].text();
    attention.gaussian = score == "gaussian";
    if (!attention.gaussian)
      json["score"].complain(
          makeError("expected 'gaussian', but got '{}'", score));
  }
  if (json.has("variances"))
    for (const JsonView &variance : json["variances"].elements())
      attention.variances.push_back(variance.number());
  if (json.has("combine")) {
    std::string combine = json["combine"].text();
    attention.combine =
        combine == "maximum" ? Combine::Maximum : Combine::LogSumExp;
    if (combine != "maximum" && combine != "logsumexp")
      json["combine"].complain(makeError(
          "expected 'logsumexp' or 'maximum', but got '{}'", combine));
  }
  attention.prior = optional("prior", Kind::Float, 2, 3);
  attention.queryTerm = optional("query_term", Kind::Float, 3, 4);
  attention.keyTerm = optional("key_term", Kind::Float, 3, 4);
  checkVariances(attention);
}

void AttentionParser::parsePremix(const JsonView &premix, Premix &result) {
  std::string kind = premix["kind"].text();
  if (kind == "mlp") {
    result.kind = Premix::Kind::Mlp;
    result.w1 = argument(premix, "w1", Kind::Float, 2, 2);
    result.b1 = argument(premix, "b1", Kind::Float, 1, 1);
    result.w2 = argument(premix, "w2", Kind::Float, 2, 2);
    result.b2 = argument(premix, "b2", Kind::Float, 1, 1);
  } else if (kind == "linear" || kind == "relu_per_key") {
    result.kind =
        kind == "linear" ? Premix::Kind::Linear : Premix::Kind::ReluPerKey;
    result.mixer = argument(premix, "mixer", Kind::Float, 2, 2);
  } else {
    premix.complain(makeError(
        "expected kind 'linear', 'relu_per_key' or 'mlp', but got '{}'", kind));
  }
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

/// The number of components of the keys agrees with how they are combined and
/// what divides them.
void AttentionParser::checkVariances(const Attention &attention) {
  const Parameter *key = entry.argument(attention.key);
  bool isShifted = !attention.shifts.empty();
  // Terms of rank 4 have a component each, whatever the keys have.
  std::string split;
  for (const std::string &term : {attention.queryTerm, attention.keyTerm})
    if (const Parameter *parameter = entry.argument(term);
        parameter && parameter->shape.size() == 4)
      split = term;
  bool hasKeys = key && key->shape.size() == 5;
  bool isMixture = isShifted || hasKeys || !split.empty();
  if (isMixture != (attention.combine != Combine::None))
    json.complain(
        makeError("expected 'combine' where there are several keys only"));
  if (!attention.prior.empty() && attention.combine != Combine::LogSumExp)
    json.complain(makeError("expected 'prior' beside 'logsumexp' only"));
  int64_t components = isShifted   ? staticSize(attention.shifts, 1)
                       : hasKeys   ? staticSize(attention.key, 2)
                       : isMixture ? staticSize(split, 2)
                                   : 1;
  int64_t given = static_cast<int64_t>(attention.variances.size());
  if (given != components && (given != 0 || attention.gaussian))
    json.complain(
        makeError("expected {} variances, but got {}", components, given));
}

void AttentionParser::requireDivisor(const std::string &name, int64_t heads) {
  int64_t shared = staticSize(name, 1);
  if (shared == 0 || heads % shared != 0)
    json.complain(makeError("expected the heads of '{}' to divide {}, but got "
                            "{}",
                            name, heads, shared));
}

/// Keys are shared by the heads of the query, values by those of the result.
void AttentionParser::checkHeads(const Attention &attention) {
  int64_t heads = staticSize(attention.query, 1);
  requireDivisor(attention.key, heads);
  if (attention.premix)
    heads = attention.premix->kind == Premix::Kind::Mlp
                ? staticSize(attention.premix->b2, 0)
                : staticSize(attention.premix->mixer, 1);
  requireDivisor(attention.value, heads);
}

Attention AttentionParser::parse() {
  Attention attention;
  attention.query = argument(json, "query", Kind::Float, 4, 4);
  parseComponents(attention);
  attention.value = argument(json, "value", Kind::Float, 4, 4);
  if (json.has("premix"))
    parsePremix(json["premix"], attention.premix.emplace());
  attention.scale = json["scale"].number();
  attention.scaleBefore =
      json.has("scale_before") && json["scale_before"].boolean();
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
  attention.result = result("result", 4);
  if (json.has("weights"))
    attention.weights = result("weights", 4);
  if (json.has("lse"))
    attention.lse = result("lse", 3);
  checkHeads(attention);
  return attention;
}

Attention mixattn::parseAttention(const JsonView &json, const Entry &entry) {
  return AttentionParser(json, entry).parse();
}
