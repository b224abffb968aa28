// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the attention object and its score_mod.
#include "lib/Runtime/Manifest.h"
#include "test/unit/runtime/Utilities.h"
#include <cmath>

using namespace mixattn;

/// A manifest of an entry over q k v and other arguments, whose attention has
/// these members in addition to the first six.
static std::string makeManifest(const std::string &members,
                                const std::string &key = "k",
                                const std::string &result = "o") {
  return R"({"abi": 2, "producer": "test", "target": {"arch": "x86_64", "cpu":
    "x86-64", "features": []}, "entries": [{"name": "f", "symbol": "mixattn_f",
    "arguments": [
      {"name": "q", "dtype": "f32", "shape": ["B", 8, "N", 64]},
      {"name": "k", "dtype": "f32", "shape": ["B", 2, "S", 64]},
      {"name": "v", "dtype": "f32", "shape": ["B", 2, "S", 96]},
      {"name": "k3", "dtype": "f32", "shape": ["B", 3, "S", 64]},
      {"name": "kh", "dtype": "f32", "shape": ["B", "H", "S", 64]},
      {"name": "mask", "dtype": "i1", "shape": ["N", "S"]},
      {"name": "lengths", "dtype": "i64", "shape": ["B"], "range": [0, "S"]},
      {"name": "slopes", "dtype": "f32", "shape": [8]},
      {"name": "mixer", "dtype": "f32", "shape": [8, 8]},
      {"name": "keys", "dtype": "f32", "shape": ["B", 2, 3, "S", 64]},
      {"name": "shifts", "dtype": "f32", "shape": [2, 3, 64]},
      {"name": "prior", "dtype": "f32", "shape": [8, 3]},
      {"name": "wide", "dtype": "f32", "shape": [8, 5]},
      {"name": "few", "dtype": "f32", "shape": [16, "S"]},
      {"name": "seed", "dtype": "i64", "shape": []}],
    "results": [{"name": "o", "dtype": "f32", "shape": ["B", 8, "N", 96]},
      {"name": "w", "dtype": "f32", "shape": ["B", 8, "N", "S"]},
      {"name": "lse", "dtype": "f32", "shape": ["B", 8, "N"]}],
    "attention": {"query": "q", "key": ")" +
         key + R"(", "value": "v", "result": ")" + result +
         R"(", "scale": 0.125, "normaliser": "softmax")" + members + "}}]}";
}

static const Attention &attentionOf(const Manifest &manifest) {
  return std::get<Attention>(*manifest.entries[0].op);
}

static std::string parseError(const std::string &text) {
  return messageOf(parseManifest(text));
}

static std::string modError(const std::string &expression) {
  return parseError(makeManifest(", \"score_mod\": " + expression));
}

TEST(ManifestAttention, Parses) {
  Result<Manifest> manifest = parseManifest(makeManifest(
      R"(, "mask": "mask", "lengths": "lengths", "causal": true,
         "band": [3, 0], "bias": "slopes",
         "postmix": {"kind": "heads", "mixer": "mixer"})"));
  ASSERT_TRUE(manifest) << manifest.message();
  const Attention &attention = attentionOf(*manifest);
  EXPECT_EQ(attention.key, "k");
  EXPECT_EQ(attention.scale, 0.125);
  EXPECT_EQ(attention.lengths, "lengths");
  EXPECT_TRUE(attention.causal);
  EXPECT_EQ(attention.band->lower, 3);
  EXPECT_EQ(attention.postmix->mixer, "mixer");
  EXPECT_FALSE(attention.postmix->byRow);
  EXPECT_FALSE(attention.scoreMod);
}

TEST(ManifestAttention, ParsesMixersByRow) {
  Result<Manifest> manifest = parseManifest(makeManifest(
      R"(, "postmix": {"kind": "rows", "source": "q", "w": "mixer",
                       "b": "mixer"})"));
  ASSERT_TRUE(manifest) << manifest.message();
  EXPECT_TRUE(attentionOf(*manifest).postmix->byRow);
}

TEST(ManifestAttention, ParsesComponents) {
  Result<Manifest> manifest = parseManifest(makeManifest(
      R"(, "score": "gaussian", "variances": [8, 8.5, 24],
         "combine": "logsumexp", "prior": "prior", "scale_before": true,
         "weights": "w", "lse": "lse")",
      "keys"));
  ASSERT_TRUE(manifest) << manifest.message();
  const Attention &attention = attentionOf(*manifest);
  EXPECT_TRUE(attention.gaussian);
  EXPECT_EQ(attention.variances, (std::vector<double>{8, 8.5, 24}));
  EXPECT_EQ(attention.combine, Combine::LogSumExp);
  EXPECT_EQ(attention.prior, "prior");
  EXPECT_TRUE(attention.scaleBefore);
  EXPECT_EQ(attention.weights, "w");
  EXPECT_EQ(attention.lse, "lse");
}

TEST(ManifestAttention, ParsesShifts) {
  Result<Manifest> manifest = parseManifest(
      makeManifest(R"(, "shifts": "shifts", "combine": "maximum")"));
  ASSERT_TRUE(manifest) << manifest.message();
  const Attention &attention = attentionOf(*manifest);
  EXPECT_EQ(attention.shifts, "shifts");
  EXPECT_EQ(attention.combine, Combine::Maximum);
  EXPECT_FALSE(attention.gaussian);
  EXPECT_FALSE(attention.premix);
}

TEST(ManifestAttention, ParsesPremixes) {
  for (auto [text, kind] :
       {std::pair(R"("linear", "mixer": "mixer")", Premix::Kind::Linear),
        std::pair(R"("relu_per_key", "mixer": "mixer")",
                  Premix::Kind::ReluPerKey),
        std::pair(R"("mlp", "w1": "mixer", "b1": "slopes", "w2": "wide",
                  "b2": "slopes")",
                  Premix::Kind::Mlp)}) {
    Result<Manifest> manifest = parseManifest(
        makeManifest(R"(, "premix": {"kind": )" + std::string(text) + "}"));
    ASSERT_TRUE(manifest) << manifest.message();
    EXPECT_EQ(attentionOf(*manifest).premix->kind, kind);
  }
}

/// The same without query and key.
static std::string givenScores(const std::string &members) {
  std::string text = makeManifest(R"(, "scores": "w0")" + members);
  std::string made = R"("query": "q", "key": "k", )";
  text.erase(text.find(made), made.size());
  std::string arguments = R"("arguments": [)";
  return text.insert(text.find(arguments) + arguments.size(),
                     R"({"name": "w0", "dtype": "f32",
                         "shape": ["B", 8, "N", "S"]},)");
}

TEST(ManifestAttention, ParsesGivenScores) {
  Result<Manifest> manifest = parseManifest(givenScores(""));
  ASSERT_TRUE(manifest) << manifest.message();
  EXPECT_EQ(attentionOf(*manifest).scores, "w0");
  EXPECT_EQ(attentionOf(*manifest).query, "");
  EXPECT_EQ(parseError(givenScores(R"(, "shifts": "shifts")")),
            "manifest: entries[0].attention: expected no 'shifts' with "
            "'scores'");
  EXPECT_EQ(parseError(makeManifest(R"(, "scores": "q")")),
            "manifest: entries[0].attention: expected no 'query' with "
            "'scores'");
}

TEST(ManifestAttention, ParsesProjections) {
  std::string both = R"(, "key_projection": "few", "value_projection": "few")";
  Result<Manifest> manifest = parseManifest(makeManifest(both));
  ASSERT_TRUE(manifest) << manifest.message();
  EXPECT_EQ(attentionOf(*manifest).keyProjection, "few");
  EXPECT_EQ(attentionOf(*manifest).valueProjection, "few");
  EXPECT_EQ(parseError(makeManifest(R"(, "value_projection": "few")")),
            "manifest: entries[0].attention: expected a member "
            "'key_projection', but got none");
  EXPECT_EQ(parseError(makeManifest(both + R"(, "causal": true)")),
            "manifest: entries[0].attention: expected no 'causal' with "
            "'key_projection'");
}

TEST(ManifestAttention, ParsesNoise) {
  std::string premix = R"(, "premix": {"kind": "linear", "mixer": "slopes"})";
  Result<Manifest> manifest = parseManifest(
      makeManifest(premix + R"(, "noise": {"kind": "local", "sigma": "slopes",
                              "noise": "q"})"));
  ASSERT_TRUE(manifest) << manifest.message();
  const Attention &attention = attentionOf(*manifest);
  EXPECT_EQ(attention.premix->mixer, "slopes");
  EXPECT_TRUE(attention.noise->isLocal);
  EXPECT_EQ(attention.noise->sigma, "slopes");
  EXPECT_EQ(attention.noise->noise, "q");
  manifest = parseManifest(
      makeManifest(premix + R"(, "noise": {"kind": "global", "sigma": "slopes",
                              "seed": "seed", "offset": "seed"})"));
  ASSERT_TRUE(manifest) << manifest.message();
  EXPECT_FALSE(attentionOf(*manifest).noise->isLocal);
  EXPECT_EQ(attentionOf(*manifest).noise->seed, "seed");
}

TEST(ManifestAttention, WrongNoise) {
  const std::string place = "manifest: entries[0].attention.noise";
  EXPECT_EQ(parseError(
                makeManifest(R"(, "noise": {"kind": "x", "sigma": "slopes"})")),
            place + ": expected kind 'local' or 'global', but got 'x'");
  EXPECT_EQ(parseError(makeManifest(
                R"(, "premix": {"kind": "mlp", "w1": "mixer", "b1": "slopes",
                                "w2": "wide", "b2": "slopes"},
                     "noise": {"kind": "local", "sigma": "slopes"})")),
            place + ": expected kind 'global' with 'mlp'");
  EXPECT_EQ(parseError(makeManifest(
                R"(, "noise": {"kind": "local", "sigma": "slopes",
                               "seed": "lengths"})")),
            place + ".seed: expected rank 0 to 0, but 'lengths' has 1");
}

TEST(ManifestAttention, ParsesNormalisers) {
  std::string text = makeManifest(R"(, "keep": [3, 2])");
  Result<Manifest> manifest = parseManifest(text);
  ASSERT_TRUE(manifest) << manifest.message();
  EXPECT_EQ(attentionOf(*manifest).normaliser, Normaliser::Softmax);
  EXPECT_EQ(attentionOf(*manifest).keep->lower, 3);
  EXPECT_EQ(attentionOf(*manifest).keep->upper, 2);
  auto replaced = [&](const std::string &name) {
    std::string copy = text;
    return copy.replace(copy.find("\"softmax\""), 9, "\"" + name + "\"");
  };
  manifest = parseManifest(replaced("sigsoftmax"));
  ASSERT_TRUE(manifest) << manifest.message();
  EXPECT_EQ(attentionOf(*manifest).normaliser, Normaliser::Sigsoftmax);
  EXPECT_EQ(parseError(replaced("sparsemax")),
            "manifest: entries[0].attention.normaliser: expected 'softmax' or "
            "'sigsoftmax', but got 'sparsemax'");
}

TEST(ManifestAttention, WrongComponents) {
  const std::string place = "manifest: entries[0].attention: ";
  EXPECT_EQ(parseError(makeManifest("", "keys")),
            place + "expected 'combine' where there are several keys only");
  EXPECT_EQ(parseError(makeManifest(R"(, "combine": "maximum")")),
            place + "expected 'combine' where there are several keys only");
  EXPECT_EQ(parseError(makeManifest(
                R"(, "combine": "maximum", "prior": "prior")", "keys")),
            place + "expected 'prior' with 'logsumexp' only");
  EXPECT_EQ(parseError(makeManifest(
                R"(, "combine": "maximum", "variances": [1, 2])", "keys")),
            place + "expected 3 variances, but got 2");
  EXPECT_EQ(parseError(makeManifest(R"(, "score": "gaussian")")),
            place + "expected 1 variances, but got 0");
  EXPECT_EQ(parseError(makeManifest(
                R"(, "combine": "logsumexp", "shifts": "shifts")", "keys")),
            "manifest: entries[0].attention.key: expected rank 4 to 4, but "
            "'keys' has 5");
}

TEST(ManifestAttention, WrongMixedHeads) {
  EXPECT_EQ(parseError(makeManifest(
                R"(, "premix": {"kind": "linear", "mixer": "wide"})")),
            "manifest: entries[0].attention: expected the heads of 'v' to "
            "divide 5, but got 2");
}

TEST(ManifestAttention, ParsesScoreMod) {
  Result<Manifest> manifest = parseManifest(makeManifest(
      R"(, "score_mod": [["score", "f32"], ["constant", "f32", "-inf"],
            ["arith.cmpf", "i1", "ogt", 0, 1], ["h", "index"],
            ["extract", "f32", "slopes", 3], ["dim", "index", "k", 2],
            ["constant", "index", 7], ["arith.addi", "index", 5, 6],
            ["arith.sitofp", "f32", 7], ["arith.select", "f32", 2, 4, 8]])"));
  ASSERT_TRUE(manifest) << manifest.message();
  const Expression &mod = *attentionOf(*manifest).scoreMod;
  ASSERT_EQ(mod.size(), 10u);
  EXPECT_EQ(mod[1].number, -INFINITY);
  EXPECT_EQ(mod[2].predicate, "ogt");
  EXPECT_EQ(mod[3].op, "h");
  EXPECT_EQ(mod[4].argument, "slopes");
  EXPECT_EQ(mod[4].operands, std::vector<size_t>{3});
  EXPECT_EQ(mod[5].argument, "k");
  EXPECT_EQ(mod[5].integer, 2);
  EXPECT_EQ(mod[6].integer, 7);
  EXPECT_EQ(mod[9].op, "arith.select");
  EXPECT_EQ(mod[9].operands, (std::vector<size_t>{2, 4, 8}));
}

TEST(ManifestAttention, WrongArguments) {
  EXPECT_EQ(parseError(makeManifest("", "x")),
            "manifest: entries[0].attention.key: expected an argument, but got "
            "'x'");
  EXPECT_EQ(parseError(makeManifest("", "k", "q")),
            "manifest: entries[0].attention.result: expected a result, but got "
            "'q'");
  EXPECT_EQ(parseError(makeManifest("", "mixer")),
            "manifest: entries[0].attention.key: expected rank 4 to 5, but "
            "'mixer' has 2");
  EXPECT_EQ(parseError(makeManifest(R"(, "mask": "slopes")")),
            "manifest: entries[0].attention.mask: expected elements of another "
            "kind, but 'slopes' has f32");
}

TEST(ManifestAttention, WrongResults) {
  EXPECT_EQ(parseError(makeManifest("", "k", "lse")),
            "manifest: entries[0].attention.result: expected a result of rank "
            "4, but 'lse' has 3");
}

TEST(ManifestAttention, WrongHeads) {
  EXPECT_EQ(parseError(makeManifest("", "k3")),
            "manifest: entries[0].attention: expected the heads of 'k3' to "
            "divide 8, but got 3");
  EXPECT_EQ(parseError(makeManifest("", "kh")),
            "manifest: entries[0].attention: expected a static size for dim 1 "
            "of 'kh', but got 'H'");
}

TEST(ManifestAttention, WrongFields) {
  EXPECT_EQ(parseError(makeManifest(R"(, "band": [1])")),
            "manifest: entries[0].attention.band: expected a lower and an "
            "upper width, but got 1 elements");
  EXPECT_EQ(parseError(makeManifest(R"(, "causal": 1)")),
            "manifest: entries[0].attention.causal: expected true or false, "
            "but got number");
  EXPECT_EQ(parseError(makeManifest(R"(, "postmix": {"kind": "x"})")),
            "manifest: entries[0].attention.postmix: expected kind 'heads' or "
            "'rows', but got 'x'");
  EXPECT_EQ(parseError(makeManifest(R"(, "premix": {"kind": "x"})")),
            "manifest: entries[0].attention.premix: expected kind 'linear', "
            "'relu_per_key' or 'mlp', but got 'x'");
  EXPECT_EQ(parseError(makeManifest(R"(, "score": "dot")")),
            "manifest: entries[0].attention.score: expected 'gaussian', but "
            "got 'dot'");
  EXPECT_EQ(parseError(makeManifest(R"(, "combine": "sum")")),
            "manifest: entries[0].attention.combine: expected 'logsumexp' or "
            "'maximum', but got 'sum'");
}

TEST(ManifestAttention, WrongExpressions) {
  const std::string place = "manifest: entries[0].attention.score_mod";
  EXPECT_EQ(modError("[]"),
            place + ": expected one step or more, but got none");
  EXPECT_EQ(modError(R"([["score"]])"),
            place +
                "[0]: expected an operation and a type, but got 1 elements");
  EXPECT_EQ(modError(R"([["dim", "index", "k"]])"),
            place + "[0]: expected 4 elements, but got 3");
  EXPECT_EQ(modError(R"([["dim", "index", "k", 4]])"),
            place + "[0][3]: expected a dim below 4, but got 4");
  EXPECT_EQ(modError(R"([["constant", "f32", "x"]])"),
            place + "[0][2]: expected a number or inf, -inf, nan, but got 'x'");
  EXPECT_EQ(modError(R"([["extract", "f32", "x"]])"),
            place + "[0][2]: expected an argument, but got 'x'");
  EXPECT_EQ(modError(R"([["extract", "f32", "slopes"]])"),
            place + "[0][0]: expected 1 indices, but got 0");
  EXPECT_EQ(modError(R"([["score", "f32"], ["math.tanh", "f32", 1]])"),
            place + "[1][2]: expected a step before step 1, but got 1");
  EXPECT_EQ(modError(R"([["score", "f32"], ["math.tanh", "f32", -1]])"),
            place + "[1][2]: expected a step before step 1, but got -1");
}

TEST(ManifestAttention, LongExpressions) {
  std::string steps = R"(["score", "f32"])";
  for (int i = 0; i < 20000; ++i)
    steps += R"(, ["math.tanh", "f32", )" + std::to_string(i) + "]";
  EXPECT_EQ(modError("[" + steps + "]"), "no error");
}
