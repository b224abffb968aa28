// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle against results that can be worked out on paper.
#include "lib/Reference/Reference.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace mixattn;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// One head; two queries and three keys of one feature. Queries are zero, so
/// that all visible keys weigh the same, and values are 1, 2 and 4.
class Reference : public testing::Test {
protected:
  Reference() {
    entry.name = "tiny";
    entry.attention.emplace();
    entry.attention->query = "q";
    entry.attention->key = "k";
    entry.attention->value = "v";
    entry.attention->result = "o";
    entry.attention->normaliser = "softmax";
    set("q", {1, 1, 2, 1}, {0, 0});
    set("k", {1, 1, 3, 1}, {1, 2, 3});
    set("v", {1, 1, 3, 1}, {1, 2, 4});
  }

  void set(const std::string &name, Shape shape, std::vector<double> values,
           DType dtype = DType::F64) {
    Result<Tensor> tensor = Tensor::allocate(dtype, std::move(shape));
    ASSERT_TRUE(tensor);
    ASSERT_EQ(tensor->elements(), static_cast<int64_t>(values.size()));
    for (size_t n = 0; n < values.size(); ++n)
      tensor->setNumber(static_cast<int64_t>(n), values[n]);
    tensors[name] = std::move(*tensor);
  }

  Result<ReferenceReport> run() {
    std::map<std::string, const Tensor *> arguments;
    for (const auto &[name, tensor] : tensors)
      arguments[name] = &tensor;
    return runReference(entry, arguments);
  }

  void expect(const std::vector<double> &expected,
              const std::string &name = "o") {
    Result<ReferenceReport> report = run();
    ASSERT_TRUE(report) << report.message();
    const std::vector<double> &actual = report->results.at(name);
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t n = 0; n < actual.size(); ++n)
      EXPECT_TRUE(std::isnan(expected[n])
                      ? std::isnan(actual[n])
                      : actual[n] == expected[n] ||
                            std::fabs(actual[n] - expected[n]) < 1e-15)
          << "element " << n << " is " << actual[n];
  }

  std::string errorOf() {
    Result<ReferenceReport> report = run();
    EXPECT_FALSE(report);
    return report ? "" : report.message();
  }

  Attention &attention() { return *entry.attention; }

  Entry entry;
  std::map<std::string, Tensor> tensors;
};

TEST_F(Reference, WeighsKeysByTheSoftmaxOfTheScaledProduct) {
  set("q", {1, 1, 1, 1}, {2});
  attention().scale = 0.5;
  double sum = std::exp(1) + std::exp(2) + std::exp(3);
  expect({(std::exp(1) * 1 + std::exp(2) * 2 + std::exp(3) * 4) / sum});
  EXPECT_EQ(run()->largestScore, 3);
}

TEST_F(Reference, AlignsCausalRowsAtTheEnd) {
  attention().causal = true;
  expect({1.5, 7.0 / 3});
  set("q", {1, 1, 4, 1}, {0, 0, 0, 0});
  expect({0, 1, 1.5, 7.0 / 3});
}

TEST_F(Reference, SeesABandOnBothSides) {
  // Query 0 stands at key 1, query 1 at key 2.
  attention().band = Band{0, 1};
  expect({3, 4});
  attention().band = Band{1, 0};
  expect({1.5, 3});
}

TEST_F(Reference, StopsAtTheLength) {
  attention().lengths = "lengths";
  set("lengths", {1}, {2}, DType::I64);
  set("v", {1, 1, 3, 1}, {1, 2, nan});
  set("k", {1, 1, 3, 1}, {1, 2, nan});
  expect({1.5, 1.5});
  set("lengths", {1}, {0}, DType::I64);
  expect({0, 0});
  EXPECT_EQ(run()->largestScore, 0);
}

TEST_F(Reference, BroadcastsMaskAndBiasFromTheRight) {
  attention().mask = "mask";
  set("mask", {2, 1}, {1, 0}, DType::I1);
  expect({7.0 / 3, 0});
  attention().bias = "bias";
  set("bias", {3}, {std::log(2), 0, -infinity});
  expect({4.0 / 3, 0});
  EXPECT_EQ(run()->largestScore, std::log(2));
}

TEST_F(Reference, GivesZerosWhereEveryScoreIsMinusInfinity) {
  attention().bias = "bias";
  set("bias", {2, 1}, {0, -infinity});
  expect({7.0 / 3, 0});
}

TEST_F(Reference, GivesNanWhereAScoreIsInfinite) {
  attention().bias = "bias";
  set("bias", {2, 3}, {0, 0, 0, 0, infinity, 0});
  expect({7.0 / 3, nan});
}

TEST_F(Reference, ModifiesScoresAfterTheBias) {
  attention().bias = "bias";
  set("bias", {3}, {5, 6, 7});
  Expression minus = {"arith.subf", "f32", "", "", 0, 0, {}};
  minus.operands.resize(2, {"score", "f32", "", "", 0, 0, {}});
  attention().scoreMod = minus;
  expect({7.0 / 3, 7.0 / 3});
  EXPECT_EQ(run()->largestScore, 7);
}

TEST_F(Reference, GivesWeightsAndTheirSums) {
  attention().causal = true;
  attention().weights = "w";
  attention().lse = "l";
  set("q", {1, 1, 4, 1}, {0, 0, 0, 0});
  expect({0, 0, 0, 1, 0, 0, 0.5, 0.5, 0, 1.0 / 3, 1.0 / 3, 1.0 / 3}, "w");
  expect({-infinity, 0, std::log(2), std::log(3)}, "l");
}

/// Two keys at each of two positions: 0 and 2 at the first, 6 at the second.
/// The query is 2, the variances are 2 and 8; values are 1 and 10.
class Components : public Reference {
protected:
  Components() {
    set("q", {1, 1, 1, 1}, {2});
    set("k", {1, 1, 2, 2, 1}, {0, 6, 2, 6});
    set("v", {1, 1, 2, 1}, {1, 10});
    attention().variances = {2, 8};
    attention().combine = Combine::LogSumExp;
  }

  /// The result where the positions weigh that much.
  void expectShares(double first, double second) {
    expect({(first + 10 * second) / (first + second)});
  }
};

TEST_F(Components, DivideProductsByVariances) {
  expectShares(std::exp(0) + std::exp(0.5), std::exp(6) + std::exp(1.5));
  EXPECT_NEAR(run()->largestScore, std::log(std::exp(6) + std::exp(1.5)),
              1e-14);
}

TEST_F(Components, MeasureDistances) {
  attention().gaussian = true;
  expectShares(std::exp(-1) + std::exp(0), std::exp(-4) + std::exp(-1));
  // (4 + 36) / (2 * 2).
  EXPECT_EQ(run()->largestScore, 10);
}

TEST_F(Components, TakeTheMaximum) {
  attention().gaussian = true;
  attention().combine = Combine::Maximum;
  expectShares(std::exp(0), std::exp(-1));
}

TEST_F(Components, WeighByThePrior) {
  attention().gaussian = true;
  attention().prior = "prior";
  set("prior", {1, 2}, {std::log(3), std::log(5)});
  expectShares(3 * std::exp(-1) + 5, 3 * std::exp(-4) + 5 * std::exp(-1));
  set("prior", {1, 2}, {-infinity, 0});
  expectShares(std::exp(0), std::exp(-1));
  set("prior", {1, 2, 2}, {0, -infinity, -infinity, -infinity});
  expectShares(std::exp(-1), 0);
}

TEST_F(Components, ShiftOneKey) {
  attention().gaussian = true;
  attention().shifts = "shifts";
  set("k", {1, 1, 2, 1}, {0, 4});
  set("shifts", {1, 2, 1}, {0, 2});
  expectShares(std::exp(-1) + std::exp(0), std::exp(-1) + std::exp(-1));
}

TEST_F(Components, StayNanWhereOneIs) {
  set("k", {1, 1, 2, 2, 1}, {0, 6, nan, 6});
  expect({nan});
  attention().combine = Combine::Maximum;
  expect({nan});
}

/// Two query heads of one query, their scores of two keys being 1 and 2, and
/// -3 and 0; mixed into three output heads.
class PremixedHeads : public Reference {
protected:
  PremixedHeads() {
    set("q", {1, 2, 1, 1}, {1, -3});
    set("k", {1, 2, 2, 1}, {1, 2, 1, 0});
    set("v", {1, 1, 2, 1}, {0, 1});
    set("m", {2, 3}, {1, 0, -1, 2, -1, 1});
    attention().premix.emplace().mixer = "m";
  }

  /// The scores of each output head: of its first and of its second key.
  void expectScores(const std::vector<std::pair<double, double>> &scores) {
    std::vector<double> o;
    for (auto [first, second] : scores)
      o.push_back(1 / (1 + std::exp(first - second)));
    expect(o);
  }
};

TEST_F(PremixedHeads, AreSums) {
  expectScores({{-5, 2}, {3, 0}, {-4, -2}});
  EXPECT_EQ(run()->largestScore, 5);
}

TEST_F(PremixedHeads, AreSumsOfWhatIsPositive) {
  attention().premix->kind = Premix::Kind::ReluPerKey;
  expectScores({{1, 2}, {3, 0}, {0, 0}});
}

TEST_F(PremixedHeads, AreMasked) {
  attention().mask = "mask";
  set("mask", {3, 1, 2}, {1, 1, 1, 0, 0, 1}, DType::I1);
  expect({1 / (1 + std::exp(-7)), 0, 1});
}

TEST_F(PremixedHeads, ComeFromHiddenHeads) {
  Premix &premix = *attention().premix;
  premix.kind = Premix::Kind::Mlp;
  premix.mixer = "";
  premix.w1 = "w1", premix.b1 = "b1", premix.w2 = "w2", premix.b2 = "b2";
  set("w1", {2, 1}, {2, -1});
  set("b1", {1}, {-4.5});
  set("w2", {1, 3}, {1, -1, 2});
  set("b2", {3}, {7, 8, 9});
  // Hidden: 2 + 3 - 4.5 at the first key, 4 - 4.5 at the second.
  expectScores({{7.5, 7}, {7.5, 8}, {10, 9}});
  EXPECT_EQ(run()->largestScore, 10);
  attention().scale = 2;
  expectScores({{15, 14}, {15, 16}, {20, 18}});
  attention().scaleBefore = true;
  expectScores({{12.5, 10.5}, {2.5, 4.5}, {20, 16}});
}

/// Two heads of one query; head 0 sees key 0 only and head 1 key 1 only.
class MixedHeads : public Reference {
protected:
  MixedHeads() {
    set("q", {1, 2, 1, 1}, {3, 5});
    set("k", {1, 1, 2, 1}, {0, 0});
    set("v", {1, 2, 2, 1}, {1, 2, 4, 8});
    attention().mask = "mask";
    set("mask", {2, 1, 2}, {1, 0, 0, 1}, DType::I1);
    attention().postmix.emplace();
  }
};

TEST_F(MixedHeads, TakesColumnsOfTheMixer) {
  attention().postmix->mixer = "mixer";
  set("mixer", {2, 2}, {10, 20, 30, 40});
  // Head a weighs key 0 by mixer[0,a] and key 1 by mixer[1,a].
  expect({10 * 1 + 30 * 2, 20 * 4 + 40 * 8});
}

TEST_F(MixedHeads, MakesAMixerFromTheUnscaledSource) {
  attention().scale = 0.125;
  attention().postmix->byRow = true;
  attention().postmix->source = "q";
  attention().postmix->w = "w";
  attention().postmix->b = "b";
  set("w", {1, 2}, {1, 2});
  set("b", {2, 2}, {10, 20, 30, 40});
  // mixer[c,a] = b[c,a] + q[c] w[a].
  expect({13 * 1 + 35 * 2, 26 * 4 + 50 * 8});
}

TEST_F(Reference, GroupsHeads) {
  set("q", {1, 4, 1, 1}, {0, 0, 0, 0});
  set("v", {1, 2, 3, 1}, {1, 1, 1, 2, 2, 2});
  expect({1, 1, 2, 2});
}

TEST_F(Reference, GivesZerosWithoutKeysAndNothingWithoutQueries) {
  set("k", {1, 1, 0, 1}, {});
  set("v", {1, 1, 0, 1}, {});
  expect({0, 0});
  set("q", {1, 1, 0, 1}, {});
  expect({});
}

TEST_F(Reference, ReadsInputsAsTheirTypeHoldsThem) {
  set("q", {1, 1, 1, 1}, {0}, DType::BF16);
  set("v", {1, 1, 3, 1}, {257, 257, 257}, DType::BF16);
  expect({256});
}

TEST_F(Reference, SaysWhatIsWrong) {
  attention().bias = "bias";
  EXPECT_EQ(errorOf(), "the attention op reads 'bias', which is no argument");
  set("bias", {2, 2}, {0, 0, 0, 0});
  EXPECT_EQ(errorOf(), "the attention op expected 'bias' of shape [2, 3], "
                       "but got [2, 2]");
  attention().prior = "k";
  EXPECT_EQ(errorOf(), "the attention op expected 'k' of shape [1, 1], but got "
                       "[1, 1, 3, 1]");
  attention().prior = "";
  attention().normaliser = "sparsemax";
  EXPECT_EQ(errorOf(),
            "expected the normaliser 'softmax', but got 'sparsemax'");
  entry.attention.reset();
  entry.attentionReason = "it holds two ops";
  EXPECT_EQ(errorOf(), "entry 'tiny' has no attention op to compare with: it "
                       "holds two ops");
}

} // namespace
