// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle of linear attention against results worked out on paper.
#include "lib/Reference/Features.h"
#include "test/unit/ReferenceFixture.h"

using namespace mixattn;

namespace {

/// One head; queries 1 and 2, keys 1, 2 and 3, values 1, 2 and 4, all of one
/// feature, which is what is positive of it.
class Linear : public OracleTest {
protected:
  Linear() {
    entry.op = LinearAttention();
    linear().query = "q";
    linear().key = "k";
    linear().value = "v";
    linear().result = "o";
    linear().featureMap.kind = FeatureMap::Kind::Relu;
    set("q", {1, 1, 2, 1}, {1, 2});
    set("k", {1, 1, 3, 1}, {1, 2, 3});
    set("v", {1, 1, 3, 1}, {1, 2, 4});
  }

  LinearAttention &linear() { return std::get<LinearAttention>(*entry.op); }
};

TEST_F(Linear, WeighsValuesByProducts) {
  expect({17.0 / 6, 17.0 / 6});
  linear().outputScale = 2;
  linear().eps = 1;
  expect({2 * 17.0 / 7, 2 * 34.0 / 13});
  EXPECT_EQ(run()->largestScore, 0);
  EXPECT_EQ(quotient().kappa(), 1);
  EXPECT_EQ(quotient().leftOut, (std::vector<bool>{false, false}));
}

TEST_F(Linear, AlignsCausalRowsAtTheEnd) {
  linear().causal = true;
  expect({5.0 / 3, 17.0 / 6});
  set("q", {1, 1, 4, 1}, {1, 1, 1, 1});
  expect({0, 1, 5.0 / 3, 17.0 / 6});
}

TEST_F(Linear, StopsAtTheLength) {
  linear().lengths = "lengths";
  set("lengths", {1}, {2}, DType::I64);
  set("k", {1, 1, 3, 1}, {1, 2, notANumber});
  set("v", {1, 1, 3, 1}, {1, 2, notANumber});
  expect({5.0 / 3, 5.0 / 3});
  set("lengths", {1}, {0}, DType::I64);
  linear().eps = 1;
  expect({0, 0});
}

TEST_F(Linear, GivesZerosWhereTheDenominatorIs) {
  set("q", {1, 1, 2, 1}, {-1, 2});
  expect({0, 17.0 / 6});
  EXPECT_FALSE(quotient().leftOut[0]);
  set("k", {1, 1, 0, 1}, {});
  set("v", {1, 1, 0, 1}, {});
  expect({0, 0});
}

TEST_F(Linear, AddsComponentsByThePrior) {
  set("k", {1, 1, 2, 3, 1}, {1, 2, 3, 4, 0, 0});
  expect({21.0 / 10, 21.0 / 10});
  linear().prior = "prior";
  set("prior", {1, 2}, {0.5, 2});
  expect({(8.5 + 8) / (3 + 8), 1.5});
  set("prior", {1, 2, 3}, {0, 1, 1, 1, 7, 7});
  expect({(4 + 4 + 12.0) / 9, (4 + 4 + 12.0) / 9});
}

TEST_F(Linear, ShiftsOneKey) {
  linear().shifts = "shifts";
  set("shifts", {1, 2, 1}, {0, -2});
  expect({(17 + 4.0) / 7, 3});
}

TEST_F(Linear, SharesHeads) {
  set("q", {1, 4, 1, 1}, {1, 1, 1, 1});
  set("k", {1, 2, 3, 1}, {1, 2, 3, 1, 0, 0});
  expect({17.0 / 6, 17.0 / 6, 1, 1});
}

/// Two key heads, the sums of which are 6 and 3, with values 17 and 24.
class MixedStates : public Linear {
protected:
  MixedStates() {
    set("q", {1, 1, 1, 1}, {1});
    set("k", {1, 2, 3, 1}, {1, 2, 3, 1, 1, 1});
    set("v", {1, 2, 3, 1}, {1, 2, 4, 8, 8, 8});
    linear().premix.emplace().mixer = "mixer";
  }
};

TEST_F(MixedStates, MixBothSums) {
  set("mixer", {2, 1}, {1, -1});
  expect({-7.0 / 3});
  EXPECT_EQ(quotient().kappa(), 3);
  set("q", {1, 2, 1, 1}, {1, 1});
  set("mixer", {2, 2}, {1, 0, 1, 2});
  expect({41.0 / 9, 8});
}

TEST_F(MixedStates, LeaveOutWhatCancels) {
  set("mixer", {2, 1}, {1, -2});
  expect({0});
  EXPECT_TRUE(quotient().leftOut[0]);
  EXPECT_EQ(quotient().kappa(), INFINITY);
  set("mixer", {2, 1}, {1, -2.01});
  EXPECT_FALSE(quotient().leftOut[0]);
  EXPECT_NEAR(quotient().kappa(), 12.03 / 0.03, 1e-9);
  set("mixer", {2, 1}, {1, -2.001});
  EXPECT_TRUE(quotient().leftOut[0]);
}

TEST_F(MixedStates, GoThroughAPerceptron) {
  StateMix &mix = *linear().premix;
  mix = {{"w1", "b1", "w2", "b2"}, true, "", "n"};
  set("w1", {2, 2}, {1, -1, -0.5, 0});
  set("b1", {2}, {-2, 3});
  set("w2", {2, 1}, {2, 5});
  set("b2", {1}, {1});
  set("n", {2, 1}, {1, 1});
  // Hidden: 17 - 12 - 2 and -17 + 3.
  expect({7.0 / 9});
  linear().lengths = "lengths";
  set("lengths", {1}, {0}, DType::I64);
  expect({0});
  set("w2", {1, 1}, {2});
  EXPECT_EQ(errorOf(), "the attention op expected 'w2' of shape [2, 1], but "
                       "got [1, 1]");
}

std::vector<double> features(FeatureMap::Kind kind, std::vector<double> x,
                             int64_t rolls = 1) {
  Array projection{{2, 1}, {3, -1}};
  return featuresOf({kind, rolls, ""}, projection, x);
}

TEST(Features, AreAsTheFormulasSay) {
  double e = std::exp(-1);
  EXPECT_EQ(features(FeatureMap::Kind::Elu, {1, 0, -1}),
            (std::vector<double>{2, 1, e}));
  EXPECT_EQ(features(FeatureMap::Kind::NormalizedElu, {1, 0, -1}),
            (std::vector<double>{2 / (3 + e), 1 / (3 + e), e / (3 + e)}));
  EXPECT_EQ(features(FeatureMap::Kind::Relu, {1, 0, -1}),
            (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(features(FeatureMap::Kind::Dpfp, {1, -2}, 2),
            (std::vector<double>{2, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(features(FeatureMap::Kind::Dpfp, {3}, 3),
            (std::vector<double>{0, 0, 9, 0, 0, 0}));
  EXPECT_EQ(features(FeatureMap::Kind::Favor, {1, 2}),
            (std::vector<double>{(std::exp(-1.5) + 1e-4) / std::sqrt(2.0),
                                 (std::exp(-3.5) + 1e-4) / std::sqrt(2.0)}));
}

} // namespace
