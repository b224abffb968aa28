// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attention object of a manifest, checked against the arguments.
#include "lib/Runtime/ManifestParsers.h"

using namespace mixattn;

namespace {
/// Reads one attention object.
class AttentionParser : OpParser {
public:
  using OpParser::OpParser;
  Attention parse();

private:
  void parseScores(Attention &attention);
  void parseCombine(Attention &attention);
  void parsePremix(const JsonView &premix, Premix &result);
  void parseNoise(const JsonView &noise, Attention &attention);
  void parsePostmix(const JsonView &postmix, Postmix &result);
  Normaliser parseNormaliser();
  int64_t countComponents(const Attention &attention);
  void checkHeads(const Attention &attention);
};
} // namespace

/// Scores are there, or a query and a key that make them.
void AttentionParser::parseScores(Attention &attention) {
  attention.scores = optional("scores", Kind::Float, 4, 4);
  if (!attention.scores.empty()) {
    forbid({"query", "key", "key_projection", "value_projection", "shifts",
            "score", "variances", "combine", "prior", "query_term", "key_term"},
           "scores");
    return;
  }
  attention.query = argument(json, "query", Kind::Float, 4, 4);
  parseComponents(attention);
  if (json.has("key_projection") || json.has("value_projection")) {
    attention.keyProjection =
        argument(json, "key_projection", Kind::Float, 2, 2);
    attention.valueProjection =
        argument(json, "value_projection", Kind::Float, 2, 2);
    forbid({"lengths", "causal", "band", "keep"}, "key_projection");
  }
  attention.queryTerm = optional("query_term", Kind::Float, 3, 4);
  attention.keyTerm = optional("key_term", Kind::Float, 3, 4);
  parseCombine(attention);
}

/// The number of keys at a position agrees with how they are combined and what
/// divides them.
void AttentionParser::parseCombine(Attention &attention) {
  if (json.has("combine")) {
    std::string combine = json["combine"].text();
    attention.combine =
        combine == "maximum" ? Combine::Maximum : Combine::LogSumExp;
    if (combine != "maximum" && combine != "logsumexp")
      json["combine"].complain(makeError(
          "expected 'logsumexp' or 'maximum', but got '{}'", combine));
  }
  int64_t components = countComponents(attention);
  if ((components == 0) != (attention.combine == Combine::None))
    json.complain(
        makeError("expected 'combine' where there are several keys only"));
  if (!attention.prior.empty() && attention.combine != Combine::LogSumExp)
    json.complain(makeError("expected 'prior' with 'logsumexp' only"));
  checkVariances(attention, components == 0 ? 1 : components);
}

/// How many components are combined; 0 where there is nothing to combine.
int64_t AttentionParser::countComponents(const Attention &attention) {
  const Parameter *key = entry.argument(attention.key);
  if (!attention.shifts.empty() || (key && key->shape.size() == 5))
    return componentsOf(attention);
  // Terms of rank 4 have a component each, whatever the keys have.
  for (const std::string &term : {attention.keyTerm, attention.queryTerm})
    if (const Parameter *parameter = entry.argument(term);
        parameter && parameter->shape.size() == 4)
      return staticSize(parameter, 2);
  return 0;
}

void AttentionParser::parsePremix(const JsonView &premix, Premix &result) {
  std::string kind = premix["kind"].text();
  if (kind == "mlp") {
    result.kind = Premix::Kind::Mlp;
    parsePerceptron(premix, result);
  } else if (kind == "linear" || kind == "relu_per_key") {
    result.kind =
        kind == "linear" ? Premix::Kind::Linear : Premix::Kind::ReluPerKey;
    result.mixer = argument(premix, "mixer", Kind::Float, 1, 2);
  } else {
    premix.complain(makeError(
        "expected kind 'linear', 'relu_per_key' or 'mlp', but got '{}'", kind));
  }
}

void AttentionParser::parseNoise(const JsonView &json, Attention &attention) {
  Noise &noise = attention.noise.emplace();
  std::string kind = json["kind"].text();
  noise.isLocal = kind == "local";
  if (kind != "local" && kind != "global")
    json.complain(
        makeError("expected kind 'local' or 'global', but got '{}'", kind));
  if (noise.isLocal && attention.premix &&
      attention.premix->kind == Premix::Kind::Mlp)
    json.complain(makeError("expected kind 'global' with 'mlp'"));
  noise.sigma = argument(json, "sigma", Kind::Float, 1, 1);
  if (json.has("noise")) {
    noise.noise = argument(json, "noise", Kind::Float, 4, 4);
    return;
  }
  noise.seed = argument(json, "seed", Kind::Integer, 0, 0);
  noise.offset = argument(json, "offset", Kind::Integer, 0, 0);
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

Normaliser AttentionParser::parseNormaliser() {
  std::string normaliser = json["normaliser"].text();
  if (normaliser != "softmax" && normaliser != "sigsoftmax")
    json["normaliser"].complain(makeError(
        "expected 'softmax' or 'sigsoftmax', but got '{}'", normaliser));
  return normaliser == "softmax" ? Normaliser::Softmax : Normaliser::Sigsoftmax;
}

/// Keys are shared by the heads of the query, values by those of the result.
void AttentionParser::checkHeads(const Attention &attention) {
  int64_t heads = staticSize(
      attention.scores.empty() ? attention.query : attention.scores, 1);
  if (attention.scores.empty())
    requireDivisor(attention.key, heads);
  if (const std::optional<Premix> &premix = attention.premix) {
    const Parameter *mixer = entry.argument(premix->mixer);
    heads = premix->kind == Premix::Kind::Mlp   ? staticSize(premix->b2, 0)
            : mixer && mixer->shape.size() == 1 ? staticSize(attention.value, 1)
                                                : staticSize(mixer, 1);
  }
  requireDivisor(attention.value, heads);
}

Attention AttentionParser::parse() {
  Attention attention;
  parseScores(attention);
  attention.value = argument(json, "value", Kind::Float, 4, 4);
  if (json.has("premix"))
    parsePremix(json["premix"], attention.premix.emplace());
  if (json.has("noise"))
    parseNoise(json["noise"], attention);
  attention.scale = json["scale"].number();
  attention.scaleBefore = flag("scale_before");
  attention.bias = optional("bias", Kind::Float, 0, 4);
  parseVisibility(attention);
  attention.normaliser = parseNormaliser();
  attention.keep = band("keep");
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
