// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the ops other than attention.
#include "lib/Runtime/Manifest.h"
#include "test/unit/runtime/Utilities.h"

using namespace mixattn;

/// A manifest of an entry with arguments of many ranks, whose op has these
/// members.
static std::string makeManifest(const std::string &members) {
  return R"({"abi": 2, "producer": "test", "target": {"arch": "x86_64", "cpu":
    "x86-64", "features": []}, "entries": [{"name": "f", "symbol": "mixattn_f",
    "arguments": [
      {"name": "q", "dtype": "f32", "shape": ["B", 8, "N", 64]},
      {"name": "k", "dtype": "f32", "shape": ["B", 2, "S", 64]},
      {"name": "v", "dtype": "f32", "shape": ["B", 2, "S", 96]},
      {"name": "v3", "dtype": "f32", "shape": ["B", 3, "S", 96]},
      {"name": "lengths", "dtype": "i64", "shape": ["B"], "range": [0, "S"]},
      {"name": "vector", "dtype": "f32", "shape": [8]},
      {"name": "matrix", "dtype": "f32", "shape": [2, 8]},
      {"name": "band", "dtype": "f32", "shape": [8, "N", 7]},
      {"name": "even", "dtype": "f32", "shape": [8, "N", 4]},
      {"name": "at", "dtype": "i64", "shape": ["E", 3]},
      {"name": "pairs", "dtype": "i64", "shape": ["E", 2]},
      {"name": "keys", "dtype": "f32", "shape": ["B", 2, 3, "S", 64]},
      {"name": "shifts", "dtype": "f32", "shape": [2, 3, 64]},
      {"name": "prior", "dtype": "f32", "shape": [2, 3]}],
    "results": [{"name": "o", "dtype": "f32", "shape": ["B", 8, "N", 96]},
      {"name": "gamma", "dtype": "f32", "shape": ["B", 8, 3, "N", "S"]},
      {"name": "cube", "dtype": "f32", "shape": [2, 3, "S"]},
      {"name": "square", "dtype": "f32", "shape": [2, 3]},
      {"name": "scalar", "dtype": "f32", "shape": []}],
    "attention": {"op": )" +
         members + "}}]}";
}

static Result<Manifest> parse(const std::string &members) {
  return parseManifest(makeManifest(members));
}

static std::string errorOf(const std::string &members) {
  std::string message = messageOf(parse(members));
  std::string place = "manifest: entries[0].attention";
  EXPECT_EQ(message.substr(0, place.size()), place);
  return message.substr(place.size());
}

template <typename T> static T opOf(const std::string &members) {
  Result<Manifest> manifest = parse(members);
  EXPECT_TRUE(manifest) << manifest.message();
  return std::get<T>(*manifest->entries[0].op);
}

/// A linear attention with that map and these members.
static std::string linear(const std::string &map,
                          const std::string &members = "") {
  return R"("linear_attention", "query": "q", "key": "k", "value": "v",
            "eps": 0.5, "output_scale": 2, "result": "o",
            "feature_map": {)" +
         map + "}" + members;
}

static const std::string elu = R"("kind": "elu")";

TEST(ManifestOps, LinearAttention) {
  LinearAttention op = opOf<LinearAttention>(
      linear(elu, R"(, "shifts": "shifts", "prior": "prior", "causal": true,
                      "lengths": "lengths")"));
  EXPECT_EQ(op.query, "q");
  EXPECT_EQ(op.shifts, "shifts");
  EXPECT_EQ(op.prior, "prior");
  EXPECT_EQ(op.lengths, "lengths");
  EXPECT_TRUE(op.causal);
  EXPECT_EQ(op.eps, 0.5);
  EXPECT_EQ(op.outputScale, 2);
  EXPECT_FALSE(op.premix);
  EXPECT_EQ(op.result, "o");
}

TEST(ManifestOps, FeatureMaps) {
  auto mapOf = [](const std::string &map) {
    return opOf<LinearAttention>(linear(map)).featureMap;
  };
  EXPECT_EQ(mapOf(elu).kind, FeatureMap::Kind::Elu);
  EXPECT_EQ(mapOf(R"("kind": "normalized_elu")").kind,
            FeatureMap::Kind::NormalizedElu);
  EXPECT_EQ(mapOf(R"("kind": "relu")").kind, FeatureMap::Kind::Relu);
  EXPECT_EQ(mapOf(R"("kind": "dpfp", "rolls": 2)").rolls, 2);
  EXPECT_EQ(mapOf(R"("kind": "favor", "projection": "matrix")").projection,
            "matrix");
  EXPECT_EQ(errorOf(linear(R"("kind": "x")")),
            ".feature_map: expected kind 'elu', 'normalized_elu', 'relu', "
            "'dpfp' or 'favor', but got 'x'");
  EXPECT_EQ(errorOf(linear(R"("kind": "dpfp")")),
            ".feature_map: expected a member 'rolls', but got none");
  EXPECT_EQ(errorOf(linear(R"("kind": "dpfp", "rolls": 0)")),
            ".feature_map.rolls: expected from 1 to 64 rolls, but got 0");
  EXPECT_EQ(errorOf(linear(R"("kind": "favor")")),
            ".feature_map: expected a member 'projection', but got none");
}

TEST(ManifestOps, StateMixers) {
  LinearAttention op = opOf<LinearAttention>(
      linear(elu, R"(, "premix": {"kind": "linear", "mixer": "matrix"})"));
  EXPECT_EQ(op.premix->mixer, "matrix");
  EXPECT_FALSE(op.premix->isMlp);
  std::string mlp = R"(, "premix": {"kind": "mlp", "w1": "matrix",
      "b1": "vector", "w2": "matrix", "b2": "vector")";
  op = opOf<LinearAttention>(linear(elu, mlp + R"(, "normaliser": "prior"})"));
  EXPECT_TRUE(op.premix->isMlp);
  EXPECT_EQ(op.premix->normaliser, "prior");
  EXPECT_EQ(errorOf(linear(elu, mlp + "}")),
            ".premix: expected a member 'normaliser', but got none");
  EXPECT_EQ(errorOf(linear(elu, R"(, "premix": {"kind": "x"})")),
            ".premix: expected kind 'linear' or 'mlp', but got 'x'");
}

TEST(ManifestOps, LinearHeads) {
  std::string text = linear(elu);
  text.replace(text.find("\"v\""), 3, "\"v3\"");
  EXPECT_EQ(errorOf(text),
            ": expected the heads of 'v3' to divide 2, but got 3");
}

TEST(ManifestOps, StructuredPool) {
  StructuredPool op = opOf<StructuredPool>(
      R"("structured_pool", "value": "v", "band": "band", "error_index": "at",
         "error_value": "vector", "row_normalise": true, "result": "o")");
  EXPECT_EQ(op.value, "v");
  EXPECT_EQ(op.band, "band");
  EXPECT_EQ(op.errorIndex, "at");
  EXPECT_EQ(op.errorValue, "vector");
  EXPECT_TRUE(op.rowNormalise);
  op = opOf<StructuredPool>(
      R"("structured_pool", "value": "v", "windows": "at", "result": "o")");
  EXPECT_EQ(op.windows, "at");
  EXPECT_FALSE(op.rowNormalise);
}

TEST(ManifestOps, WrongStructuredPool) {
  auto error = [](const std::string &members, const char *value = "v") {
    return errorOf(R"("structured_pool", "result": "o", "value": ")" +
                   std::string(value) + "\"" + members);
  };
  EXPECT_EQ(error(R"(, "band": "band", "windows": "at")"),
            ": expected no 'windows' with 'band'");
  EXPECT_EQ(error(R"(, "band": "even")"),
            ": expected an odd width of 'even', but got 4");
  EXPECT_EQ(error(R"(, "windows": "pairs")"),
            ": expected 3 columns in 'pairs', but got 2");
  EXPECT_EQ(error(R"(, "error_value": "vector")"),
            ": expected a member 'error_index', but got none");
  EXPECT_EQ(error("", "v3"),
            ": expected the heads of 'v3' to divide 8, but got 3");
}

TEST(ManifestOps, Responsibilities) {
  Responsibilities op = opOf<Responsibilities>(
      R"("responsibilities", "query": "q", "key": "keys", "score": "gaussian",
         "variances": [1, 2, 3], "prior": "prior", "causal": true,
         "lengths": "lengths", "band": [1, 2], "result": "gamma")");
  EXPECT_EQ(op.key, "keys");
  EXPECT_TRUE(op.gaussian);
  EXPECT_EQ(op.variances.size(), 3u);
  EXPECT_EQ(op.prior, "prior");
  EXPECT_TRUE(op.causal);
  EXPECT_EQ(op.band->upper, 2);
  EXPECT_EQ(op.result, "gamma");
  EXPECT_EQ(errorOf(R"("responsibilities", "query": "q", "key": "keys",
                       "variances": [1], "result": "gamma")"),
            ": expected 3 variances, but got 1");
}

TEST(ManifestOps, PriorUpdate) {
  std::string text = R"("prior_update", "responsibilities": "keys")";
  EXPECT_FALSE(opOf<PriorUpdate>(text + R"(, "result": "square")").perKey);
  text += R"(, "per_key": true)";
  EXPECT_TRUE(opOf<PriorUpdate>(text + R"(, "result": "cube")").perKey);
  EXPECT_EQ(errorOf(text + R"(, "result": "square")"),
            ".result: expected a result of rank 3, but 'square' has 2");
}

TEST(ManifestOps, OrthogonalPenalty) {
  OrthogonalPenalty op = opOf<OrthogonalPenalty>(
      R"("orthogonal_penalty", "mixer": "matrix", "result": "scalar")");
  EXPECT_EQ(op.mixer, "matrix");
  EXPECT_EQ(op.result, "scalar");
}

TEST(ManifestOps, UnknownOp) {
  EXPECT_EQ(errorOf(R"("x")"), ".op: expected the name of an op, but got 'x'");
}
