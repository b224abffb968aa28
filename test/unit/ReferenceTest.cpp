// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle against results that can be worked out on paper.
#include "lib/Reference/Philox.h"
#include "test/unit/ReferenceFixture.h"

using namespace mixattn;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One head; two queries and three keys of one feature. Queries are zero, so
/// that all visible keys weigh the same, and values are 1, 2 and 4.
class Reference : public OracleTest {
protected:
  Reference() {
    entry.op = Attention();
    attention().query = "q";
    attention().key = "k";
    attention().value = "v";
    attention().result = "o";
    set("q", {1, 1, 2, 1}, {0, 0});
    set("k", {1, 1, 3, 1}, {1, 2, 3});
    set("v", {1, 1, 3, 1}, {1, 2, 4});
  }

  Attention &attention() { return std::get<Attention>(*entry.op); }
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
  set("v", {1, 1, 3, 1}, {1, 2, notANumber});
  set("k", {1, 1, 3, 1}, {1, 2, notANumber});
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
  expect({7.0 / 3, notANumber});
}

TEST_F(Reference, ModifiesScoresAfterTheBias) {
  attention().bias = "bias";
  set("bias", {3}, {5, 6, 7});
  attention().scoreMod = {{"score", "f32", "", "", 0, 0, {}},
                          {"arith.subf", "f32", "", "", 0, 0, {0, 0}}};
  expect({7.0 / 3, 7.0 / 3});
  EXPECT_EQ(run()->largestScore, 7);
}

TEST_F(Reference, SaysTheSizeOfScoresThatMatter) {
  attention().bias = "bias";
  // exp(-87) is a normal number of f32, exp(-88) is not.
  set("bias", {3}, {3, -84, -1e9});
  EXPECT_EQ(run()->largestScore, 84);
  set("bias", {3}, {3, -85, std::numeric_limits<float>::lowest()});
  EXPECT_EQ(run()->largestScore, 3);
  // A row that has nothing else.
  set("bias", {2, 3}, {3, 3, 3, -1e9, -1e9, -1e9});
  EXPECT_EQ(run()->largestScore, 1e9);
  // -150, but rounding errors of 2^-22 1e9 may make it 88.
  set("q", {1, 1, 1, 1}, {-1e9});
  set("k", {1, 1, 3, 1}, {0, 0, 1});
  set("bias", {3}, {0, 0, 1e9 - 150});
  EXPECT_EQ(run()->largestScore, 1e9);
  set("bias", {3}, {0, 0, 1e9 - 400});
  EXPECT_EQ(run()->largestScore, 0);
}

TEST_F(Reference, GivesWeightsAndTheirSums) {
  attention().causal = true;
  attention().weights = "w";
  attention().lse = "l";
  set("q", {1, 1, 4, 1}, {0, 0, 0, 0});
  expect({0, 0, 0, 1, 0, 0, 0.5, 0.5, 0, 1.0 / 3, 1.0 / 3, 1.0 / 3}, "w");
  expect({-infinity, 0, std::log(2), std::log(3)}, "l");
  EXPECT_EQ(run()->logarithms, std::set<std::string>{"l"});
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

TEST_F(Components, HaveNoSizeWhereTheirShareIsNegligible) {
  attention().gaussian = true;
  // Scores -400 and -90.25, -289 and -72.25: the second one is all, and both
  // positions matter.
  set("q", {1, 1, 1, 1}, {40});
  EXPECT_EQ(run()->largestScore, (1600 + 36) / 16.0);
  attention().combine = Combine::Maximum;
  EXPECT_EQ(run()->largestScore, (1600 + 36) / 16.0);
  attention().scale = 0.5;
  EXPECT_EQ(run()->largestScore, (1600 + 36) / 32.0);
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
  set("k", {1, 1, 2, 2, 1}, {0, 6, notANumber, 6});
  expect({notANumber});
  attention().combine = Combine::Maximum;
  expect({notANumber});
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

TEST_F(PremixedHeads, AreAsLargeAsWhatTheyReadWhereTheyMatter) {
  set("m", {2, 1}, {1, 0});
  // The second query head scores -3 and 0, the output 1 and 2.
  EXPECT_EQ(run()->largestScore, 3);
  set("k", {1, 2, 2, 1}, {1, 200, 1, 0});
  EXPECT_EQ(run()->largestScore, 200);
  set("k", {1, 2, 2, 1}, {1, -200, 100, 0});
  EXPECT_EQ(run()->largestScore, 300);
  set("k", {1, 2, 2, 1}, {-200, 1, 100, 0});
  EXPECT_EQ(run()->largestScore, 1);
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

TEST_F(PremixedHeads, ShareAMixerAsManyAsValueHeads) {
  set("m", {2}, {1, 2});
  expectScores({{-5, 2}});
  set("v", {1, 3, 2, 1}, {0, 1, 0, 1, 0, 1});
  expectScores({{-5, 2}, {-5, 2}, {-5, 2}});
}

TEST_F(PremixedHeads, TakeLocalNoiseInEveryTerm) {
  attention().noise = Noise{true, "sigma", "noise", "", ""};
  set("sigma", {2}, {0.5, 0.25});
  set("noise", {1, 3, 1, 2}, {1, 0, 0, 1, 2, 0});
  expectScores({{-4, 2}, {3, -0.25}, {-4.5, -2}});
  attention().premix->kind = Premix::Kind::ReluPerKey;
  // The first head: relu(1.5) + relu(-5.5), relu(2) + relu(0).
  expectScores({{1.5, 2}, {3, 0}, {0, 0}});
}

TEST_F(PremixedHeads, TakeGlobalNoiseOfTheirOwn) {
  attention().noise = Noise{false, "sigma", "noise", "", ""};
  set("sigma", {2}, {0.5, 0.25});
  set("noise", {1, 2, 1, 2}, {1, 0, 0, 2});
  expectScores({{-4.5, 3}, {3, -0.5}, {-4.5, -1.5}});
  attention().scale = 2;
  expectScores({{-9, 6}, {6, -1}, {-9, -3}});
  EXPECT_EQ(run()->largestScore, 9);
  attention().scaleBefore = true;
  expectScores({{-9.5, 5}, {6, -0.5}, {-8.5, -3.5}});
  attention().noise->isLocal = true;
  EXPECT_EQ(errorOf(), "the attention op expected 'noise' of shape "
                       "[1, 3, 1, 2], but got [1, 2, 1, 2]");
}

TEST_F(PremixedHeads, DrawNoiseWhereItIsUsed) {
  attention().noise = Noise{true, "sigma", "", "seed", "offset"};
  set("sigma", {2}, {0.5, 0.25});
  set("seed", {}, {0x1p33 + 7}, DType::I64);
  // Modulo 2^32.
  set("offset", {}, {0x1p32 + 5}, DType::I64);
  std::vector<double> drawn = run()->results["o"], noise;
  for (uint32_t a = 0; a < 3; ++a)
    for (int j = 0; j < 2; ++j)
      noise.push_back(philoxNormal({0, 0, a, 5}, {7, 2}, j));
  attention().noise = Noise{true, "sigma", "noise", "", ""};
  set("noise", {1, 3, 1, 2}, noise);
  expect(drawn);
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

/// Scores 2, 0 and -1 of one query; the weights are looked at.
class GivenScores : public Reference {
protected:
  GivenScores() {
    attention().query = attention().key = "";
    attention().scores = "s";
    attention().weights = "w";
    attention().lse = "l";
    set("s", {1, 1, 1, 3}, {2, 0, -1});
  }
};

TEST_F(GivenScores, AreScaled) {
  attention().scale = 0.5;
  double sum = std::exp(1) + 1 + std::exp(-0.5);
  expect({std::exp(1) / sum, 1 / sum, std::exp(-0.5) / sum}, "w");
  EXPECT_EQ(run()->largestScore, 1);
}

TEST_F(GivenScores, AreWeighedBySigmoids) {
  attention().normaliser = Normaliser::Sigsoftmax;
  auto weight = [](double a) { return std::exp(a) / (1 + std::exp(-a)); };
  double sum = weight(2) + weight(0) + weight(-1);
  expect({weight(2) / sum, weight(0) / sum, weight(-1) / sum}, "w");
  expect({std::log(sum)}, "l");
  // Shifts do not cancel, and nothing underflows.
  set("s", {1, 1, 1, 3}, {-1000, -1001, -infinity});
  expect({1 / (1 + std::exp(-2)), 1 / (1 + std::exp(2)), 0}, "w");
  set("s", {1, 1, 1, 3}, {0, notANumber, 0});
  expect({notANumber, notANumber, notANumber}, "w");
}

TEST_F(GivenScores, KeepWeightsInsideABand) {
  set("s", {1, 1, 2, 3}, {0, 0, 0, 0, 0, 0});
  attention().keep = Band{0, 0};
  expect({0, 1.0 / 3, 0, 0, 0, 1.0 / 3}, "w");
  expect({std::log(3), std::log(3)}, "l");
  attention().keep = Band{1, 0};
  attention().causal = true;
  expect({0.5, 0.5, 0, 0, 1.0 / 3, 1.0 / 3}, "w");
}

TEST_F(Reference, ProjectsKeysAndValues) {
  set("q", {1, 1, 1, 1}, {1});
  attention().keyProjection = "e";
  attention().valueProjection = "f";
  set("e", {2, 3}, {1, 1, 1, 0, 0, 1});
  set("f", {2, 3}, {1, 0, 0, 0, 1, 1});
  // Keys 6 and 3, values 1 and 6.
  expect({(std::exp(3) + 6) / (std::exp(3) + 1)});
  set("e", {2, 2}, {1, 1, 1, 0});
  EXPECT_EQ(errorOf(), "the attention op expected 'e' of shape [2, 3], but got "
                       "[2, 2]");
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
  entry.op.reset();
  entry.attentionReason = "it holds two ops";
  EXPECT_EQ(errorOf(), "entry 'tiny' has no attention op to compare with: it "
                       "holds two ops");
}

} // namespace
