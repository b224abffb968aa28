// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The linear attention of a manifest, checked against the arguments.
#include "lib/Runtime/ManifestParsers.h"

using namespace mixattn;

namespace {
/// Reads one linear attention.
class LinearParser : OpParser {
public:
  using OpParser::OpParser;
  LinearAttention parse();

private:
  FeatureMap parseFeatureMap(const JsonView &map);
  StateMix parseMix(const JsonView &mix);
};
} // namespace

FeatureMap LinearParser::parseFeatureMap(const JsonView &map) {
  std::string kind = map["kind"].text();
  FeatureMap result;
  if (kind == "elu") {
    result.kind = FeatureMap::Kind::Elu;
  } else if (kind == "normalized_elu") {
    result.kind = FeatureMap::Kind::NormalizedElu;
  } else if (kind == "relu") {
    result.kind = FeatureMap::Kind::Relu;
  } else if (kind == "dpfp") {
    result.kind = FeatureMap::Kind::Dpfp;
    result.rolls = map["rolls"].integer();
    if (result.rolls < 1 || result.rolls > 64)
      map["rolls"].complain(
          makeError("expected from 1 to 64 rolls, but got {}", result.rolls));
  } else if (kind == "favor") {
    result.kind = FeatureMap::Kind::Favor;
    result.projection = argument(map, "projection", Kind::Float, 2, 2);
  } else {
    map.complain(makeError("expected kind 'elu', 'normalized_elu', 'relu', "
                           "'dpfp' or 'favor', but got '{}'",
                           kind));
  }
  return result;
}

StateMix LinearParser::parseMix(const JsonView &mix) {
  std::string kind = mix["kind"].text();
  StateMix result;
  result.isMlp = kind == "mlp";
  if (result.isMlp) {
    parsePerceptron(mix, result);
    result.normaliser = argument(mix, "normaliser", Kind::Float, 2, 2);
  } else if (kind == "linear") {
    result.mixer = argument(mix, "mixer", Kind::Float, 2, 2);
  } else {
    mix.complain(
        makeError("expected kind 'linear' or 'mlp', but got '{}'", kind));
  }
  return result;
}

LinearAttention LinearParser::parse() {
  LinearAttention linear;
  linear.query = argument(json, "query", Kind::Float, 4, 4);
  linear.shifts = optional("shifts", Kind::Float, 3, 3);
  linear.key =
      argument(json, "key", Kind::Float, 4, linear.shifts.empty() ? 5 : 4);
  linear.value = argument(json, "value", Kind::Float, 4, 4);
  linear.prior = optional("prior", Kind::Float, 2, 3);
  linear.featureMap = parseFeatureMap(json["feature_map"]);
  if (json.has("premix"))
    linear.premix = parseMix(json["premix"]);
  else
    requireDivisor(linear.key, staticSize(linear.query, 1));
  requireDivisor(linear.value, staticSize(linear.key, 1));
  linear.lengths = optional("lengths", Kind::Integer, 1, 1);
  linear.causal = flag("causal");
  linear.eps = json["eps"].number();
  linear.outputScale = json["output_scale"].number();
  linear.result = result("result", 4);
  return linear;
}

LinearAttention mixattn::parseLinearAttention(const JsonView &json,
                                              const Entry &entry) {
  return LinearParser(json, entry).parse();
}
