// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracles of pooling by structured matrices, of responsibilities and what
// becomes of them, and of the penalty, against results worked out on paper.
#include "test/unit/ReferenceFixture.h"

using namespace mixattn;

namespace {

/// One head of three rows, values 1, 2 and 4.
class Pool : public OracleTest {
protected:
  Pool() {
    entry.op = StructuredPool();
    pool().value = "v";
    pool().result = "o";
    setHeads(1);
    set("v", {1, 1, 3, 1}, {1, 2, 4});
    set("band", {1, 3, 3}, {9, 1, 2, 3, 4, 5, 6, 7, 9});
  }

  void setHeads(int64_t heads) {
    entry.results = {
        {"o", DType::F64, {{"", 1}, {"", heads}, {"", 3}, {"", 1}}, {}}};
  }

  void addErrors(const std::vector<double> &index, std::vector<double> values) {
    pool().errorIndex = "at";
    pool().errorValue = "error";
    int64_t count = static_cast<int64_t>(values.size());
    set("at", {count, 3}, index, DType::I64);
    set("error", {count}, std::move(values));
  }

  StructuredPool &pool() { return std::get<StructuredPool>(*entry.op); }
};

TEST_F(Pool, TakesTheIdentity) {
  expect({1, 2, 4});
  setHeads(2);
  expect({1, 2, 4, 1, 2, 4});
}

TEST_F(Pool, MultipliesByABand) {
  pool().band = "band";
  expect({5, 31, 40});
  EXPECT_TRUE(run()->quotients.empty());
}

TEST_F(Pool, AddsSparseElements) {
  addErrors({0, 0, 2, 0, 2, 1}, {10, -1});
  expect({41, 2, 2});
  pool().band = "band";
  expect({45, 31, 38});
  addErrors({}, {});
  expect({5, 31, 40});
}

TEST_F(Pool, DividesByTheSumsOfRows) {
  pool().band = "band";
  pool().rowNormalise = true;
  expect({5.0 / 3, 31.0 / 12, 40.0 / 13});
  EXPECT_EQ(quotient().kappa(), 1);
  addErrors({0, 1, 1, 0, 2, 1}, {-12, -7});
  expect({5.0 / 3, 0, 26.0 / 6});
  EXPECT_EQ(quotient().leftOut, (std::vector<bool>{false, true, false}));
  // Of -1 and 7.
  EXPECT_EQ(quotient().kappa(), 8.0 / 6);
}

TEST_F(Pool, TellsNothingWhereEveryRowIsLeftOut) {
  pool().band = "band";
  pool().rowNormalise = true;
  set("band", {1, 3, 3}, {0, 1, -1, 1, 0, -1, 1, -1, 0});
  expect({0, 0, 0});
  EXPECT_EQ(quotient().kappa(), INFINITY);
}

TEST_F(Pool, GivesZerosForARowOfZeros) {
  pool().band = "band";
  pool().rowNormalise = true;
  set("band", {1, 3, 1}, {0, 2, 3});
  expect({0, 2, 4});
  EXPECT_FALSE(quotient().leftOut[0]);
}

TEST_F(Pool, ReadsOneColumnInAWindow) {
  pool().windows = "windows";
  set("windows", {2, 3}, {2, 0, 1, 0, 1, 2}, DType::I64);
  expect({4, 1, 1});
  set("windows", {0, 3}, {}, DType::I64);
  expect({1, 2, 4});
}

TEST_F(Pool, StaysInside) {
  addErrors({0, 0, 2, 0, 1, 3}, {10, -1});
  EXPECT_EQ(errorOf(), "the attention op expected 'at' to stay inside the "
                       "matrix, but row 1 does not");
  pool().windows = "windows";
  set("windows", {1, 3}, {2, 2, 2}, DType::I64);
  EXPECT_EQ(errorOf(), "the attention op expected 'windows' to stay inside "
                       "the matrix, but row 0 does not");
}

/// Keys 0 and 2 at the first position, 6 and 6 at the second, query 2,
/// variances 2 and 8: scores -1 and 0, -4 and -1.
class Shares : public OracleTest {
protected:
  Shares() {
    entry.op = Responsibilities();
    shares().query = "q";
    shares().key = "k";
    shares().result = "o";
    shares().gaussian = true;
    shares().variances = {2, 8};
    set("q", {1, 1, 1, 1}, {2});
    set("k", {1, 1, 2, 2, 1}, {0, 6, 2, 6});
  }

  Responsibilities &shares() { return std::get<Responsibilities>(*entry.op); }
};

TEST_F(Shares, SumUpToOne) {
  double first = 1 / (1 + std::exp(1)), second = 1 / (1 + std::exp(3));
  expect({first, second, 1 - first, 1 - second});
  EXPECT_EQ(run()->largestScore, 10);
}

TEST_F(Shares, WeighByThePrior) {
  shares().prior = "prior";
  set("prior", {1, 2, 2}, {0, -INFINITY, -INFINITY, -INFINITY});
  expect({1, 0, 0, 0});
}

TEST_F(Shares, HaveNoSizeWhereTheyAreNegligible) {
  set("q", {1, 1, 1, 1}, {40});
  // Scores -400 and -90.25, -289 and -72.25: the second share is all.
  EXPECT_EQ(run()->largestScore, (1600 + 36) / 16.0);
}

TEST_F(Shares, AreZeroWhereNothingIsSeen) {
  shares().mask = "mask";
  set("mask", {2}, {0, 1}, DType::I1);
  double second = 1 / (1 + std::exp(3));
  expect({0, second, 0, 1 - second});
}

TEST(PriorUpdate, IsTheMean) {
  Entry entry;
  entry.op = PriorUpdate{"gamma", false, "prior"};
  Tensor gamma = std::move(*Tensor::allocate(DType::F64, {2, 1, 2, 1, 2}));
  for (int64_t n = 0; n < 8; ++n)
    gamma.setNumber(n, static_cast<double>(n));
  auto prior = [&] {
    return runReference(entry, {{"gamma", &gamma}})->results["prior"];
  };
  EXPECT_EQ(prior(), (std::vector<double>{2.5, 4.5}));
  std::get<PriorUpdate>(*entry.op).perKey = true;
  EXPECT_EQ(prior(), (std::vector<double>{2, 3, 4, 5}));
}

TEST(OrthogonalPenalty, IsTheSquaredDistance) {
  Entry entry;
  entry.op = OrthogonalPenalty{"m", "penalty"};
  Tensor m = std::move(*Tensor::allocate(DType::F64, {2, 2}));
  auto penalty = [&](std::vector<double> values) {
    for (int64_t n = 0; n < 4; ++n)
      m.setNumber(n, values[n]);
    return runReference(entry, {{"m", &m}})->results["penalty"];
  };
  EXPECT_EQ(penalty({1, 2, 3, 4}), std::vector<double>{834});
  EXPECT_EQ(penalty({0, -1, 1, 0}), std::vector<double>{0});
}

} // namespace
