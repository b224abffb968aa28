// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Describes linear attentions as lib/Runtime/manifest.md says.

#include "passes/manifest/ManifestLinear.h"

using namespace mlir;
using namespace mixattn;
using llvm::json::Object;

/// The map of queries and keys.
static llvm::Error describeMap(LinearAttentionOpInterface op, PutNames putNames,
                               Object &result) {
  std::optional<FeatureMapAttr> map = op.getFeatureMap();
  if (!map)
    return llvm::createStringError("the features are given");
  Object features{{"kind", stringifyFeatureKind(map->getKind())}};
  if (map->getRolls() != 0)
    features["rolls"] = map->getRolls();
  if (llvm::Error error =
          putNames(features, {{"projection", op.getProjection()}}))
    return error;
  result["feature_map"] = std::move(features);
  return llvm::Error::success();
}

/// The mixer of states.
static llvm::Error describeMixer(LinearAttentionOpInterface op,
                                 PutNames putNames, Object &result) {
  if (!op.hasPremix())
    return llvm::Error::success();
  Object mix{{"kind", op.getW1() ? "mlp" : "linear"}};
  if (llvm::Error error = putNames(mix, {{"mixer", op.getPremixer()},
                                         {"w1", op.getW1()},
                                         {"b1", op.getB1()},
                                         {"w2", op.getW2()},
                                         {"b2", op.getB2()},
                                         {"normaliser", op.getNormaliser()}}))
    return error;
  result["premix"] = std::move(mix);
  return llvm::Error::success();
}

llvm::Expected<Object> mixattn::describeLinear(LinearAttentionOpInterface op,
                                               PutNames putNames) {
  Object result{{"op", "linear_attention"},
                {"eps", op.getEps().convertToDouble()},
                {"output_scale", op.getOutputScale().convertToDouble()}};
  if (op.getCausal())
    result["causal"] = true;
  if (llvm::Error error = putNames(result, {{"query", op.getQuery()},
                                            {"key", op.getKey()},
                                            {"value", op.getValue()},
                                            {"shifts", op.getShifts()},
                                            {"prior", op.getPrior()},
                                            {"lengths", op.getLengths()}}))
    return error;
  if (llvm::Error error = describeMap(op, putNames, result))
    return error;
  if (llvm::Error error = describeMixer(op, putNames, result))
    return error;
  return result;
}
