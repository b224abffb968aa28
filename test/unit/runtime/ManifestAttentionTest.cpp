// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the attention object and its score_mod.
#include "lib/Runtime/Manifest.h"
#include "test/unit/runtime/Utilities.h"
#include <cmath>

using namespace mixattn;

/// A manifest of an entry over q k v and other arguments, whose attention has
/// these members beside the first six.
static std::string makeManifest(const std::string &members,
                                const std::string &key = "k",
                                const std::string &result = "o") {
  return R"({"abi": 1, "producer": "test", "target": {"arch": "x86_64", "cpu":
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
      {"name": "mixer", "dtype": "f32", "shape": [8, 8]}],
    "results": [{"name": "o", "dtype": "f32", "shape": ["B", 8, "N", 96]}],
    "attention": {"query": "q", "key": ")" +
         key + R"(", "value": "v", "result": ")" + result +
         R"(", "scale": 0.125, "normaliser": "softmax")" + members + "}}]}";
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
  const Attention &attention = *manifest->entries[0].attention;
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
  EXPECT_TRUE(manifest->entries[0].attention->postmix->byRow);
}

TEST(ManifestAttention, ParsesScoreMod) {
  Result<Manifest> manifest = parseManifest(makeManifest(
      R"(, "score_mod": ["arith.select", "f32",
            ["arith.cmpf", "i1", "ogt", ["score", "f32"],
                                        ["constant", "f32", "-inf"]],
            ["extract", "f32", "slopes", ["h", "index"]],
            ["arith.sitofp", "f32", ["arith.addi", "index",
                ["dim", "index", "k", 2], ["constant", "index", 7]]]])"));
  ASSERT_TRUE(manifest) << manifest.message();
  const Expression &mod = *manifest->entries[0].attention->scoreMod;
  EXPECT_EQ(mod.op, "arith.select");
  EXPECT_EQ(mod.operands[0].predicate, "ogt");
  EXPECT_EQ(mod.operands[0].operands[1].number, -INFINITY);
  EXPECT_EQ(mod.operands[1].argument, "slopes");
  EXPECT_EQ(mod.operands[1].operands[0].op, "h");
  const Expression &sum = mod.operands[2].operands[0];
  EXPECT_EQ(sum.operands[0].argument, "k");
  EXPECT_EQ(sum.operands[0].integer, 2);
  EXPECT_EQ(sum.operands[1].integer, 7);
}

TEST(ManifestAttention, WrongArguments) {
  EXPECT_EQ(parseError(makeManifest("", "x")),
            "manifest: entries[0].attention.key: expected an argument, but got "
            "'x'");
  EXPECT_EQ(parseError(makeManifest("", "k", "q")),
            "manifest: entries[0].attention.result: expected a result, but got "
            "'q'");
  EXPECT_EQ(parseError(makeManifest("", "mixer")),
            "manifest: entries[0].attention.key: expected rank 4 to 4, but "
            "'mixer' has 2");
  EXPECT_EQ(parseError(makeManifest(R"(, "mask": "slopes")")),
            "manifest: entries[0].attention.mask: expected elements of another "
            "kind, but 'slopes' has f32");
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
}

TEST(ManifestAttention, WrongExpressions) {
  const std::string place = "manifest: entries[0].attention.score_mod";
  EXPECT_EQ(modError(R"(["score"])"),
            place + ": expected an operation and a type, but got 1 elements");
  EXPECT_EQ(modError(R"(["dim", "index", "k"])"),
            place + ": expected 4 elements, but got 3");
  EXPECT_EQ(modError(R"(["dim", "index", "k", 4])"),
            place + "[3]: expected a dim below 4, but got 4");
  EXPECT_EQ(modError(R"(["constant", "f32", "x"])"),
            place + "[2]: expected a number or inf, -inf, nan, but got 'x'");
  EXPECT_EQ(modError(R"(["extract", "f32", "x"])"),
            place + "[2]: expected an argument, but got 'x'");
  EXPECT_EQ(modError(R"(["extract", "f32", "slopes"])"),
            place + "[0]: expected 1 indices, but got 0");
}

TEST(ManifestAttention, DeepExpressions) {
  std::string expression = R"(["score", "f32"])";
  for (int i = 0; i < 200; ++i)
    expression = R"(["math.tanh", "f32", )" + expression + "]";
  EXPECT_EQ(modError(expression), "no error");
  std::string message = modError(R"(["math.tanh", "f32", )" + expression + "]");
  EXPECT_EQ(message.substr(message.rfind(": ") + 2),
            "expected at most 200 nested operations");
}
