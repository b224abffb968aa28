// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of random streams.
#include "lib/Runtime/Random.h"
#include "test/unit/runtime/Utilities.h"
#include <cmath>

using namespace mixattn;

/// The values are a contract: --random=SEED means the same next year.
TEST(Random, StreamIsFixed) {
  RandomStream stream(1, "q");
  EXPECT_EQ(stream.bits(), 0x15f1dc10c51310e1u);
  EXPECT_EQ(stream.bits(), 0x878312c4b05e332du);
}

TEST(Random, NameAndSeedChooseTheStream) {
  EXPECT_EQ(RandomStream(1, "q").bits(), RandomStream(1, "q").bits());
  EXPECT_NE(RandomStream(1, "q").bits(), RandomStream(1, "k").bits());
  EXPECT_NE(RandomStream(1, "q").bits(), RandomStream(2, "q").bits());
}

TEST(Random, NormalHasMeanZeroAndVarianceOne) {
  RandomStream stream(7, "x");
  double sum = 0, squares = 0;
  constexpr int count = 100000;
  for (int i = 0; i < count; ++i) {
    double value = stream.normal();
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / count, 0, 0.02);
  EXPECT_NEAR(squares / count, 1, 0.03);
}

TEST(Random, IntegersReachBothEnds) {
  RandomStream stream(7, "x");
  bool low = false, high = false;
  for (int i = 0; i < 200; ++i) {
    int64_t value = stream.integer(-2, 3);
    ASSERT_TRUE(value >= -2 && value <= 3);
    low |= value == -2;
    high |= value == 3;
  }
  EXPECT_TRUE(low && high);
  EXPECT_EQ(stream.integer(5, 5), 5);
  stream.integer(INT64_MIN, INT64_MAX);
}

TEST(Random, RangeMayNameADim) {
  Parameter lengths{
      "lengths", DType::I64, {{"B", 0}}, Range{{"", 0}, {"S", 0}}};
  Result<Tensor> tensor = drawTensor(lengths, {{"B", 50}, {"S", 3}}, 1);
  for (int64_t i = 0; i < 50; ++i)
    ASSERT_TRUE(tensor->integer(i) >= 0 && tensor->integer(i) <= 3);
}

TEST(Random, RangeBeyondTheDType) {
  Parameter index{"index", DType::I8, {{"B", 0}}, Range{{"", 120}, {"S", 0}}};
  Result<Tensor> tensor = drawTensor(index, {{"B", 50}, {"S", 1000}}, 1);
  for (int64_t i = 0; i < 50; ++i)
    ASSERT_GE(tensor->integer(i), 120);
}

TEST(Random, EmptyRange) {
  Parameter index{"index", DType::I64, {{"B", 0}}, Range{{"", 1}, {"S", 0}}};
  EXPECT_EQ(
      messageOf(drawTensor(index, {{"B", 2}, {"S", 0}}, 1)),
      "argument 'index': expected a range that has values, but got 1 to 0");
  EXPECT_TRUE(drawTensor(index, {{"B", 0}, {"S", 0}}, 1));
}

TEST(Random, TooLarge) {
  Parameter q{"q", DType::F32, {{"N", 0}, {"N", 0}}, {}};
  EXPECT_EQ(messageOf(drawTensor(q, {{"N", 1LL << 40}}, 1)),
            "argument 'q': the shape [1099511627776, 1099511627776] is too "
            "large");
}
