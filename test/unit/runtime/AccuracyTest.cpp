// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the comparison of results.
#include "lib/Runtime/Accuracy.h"
#include "test/unit/runtime/Utilities.h"
#include <cmath>
#include <limits>

using namespace mixattn;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

TEST(Accuracy, ErrorIsRelativeToTheLargestExpectedValue) {
  Tensor actual = makeTensor(DType::F64, {3}, {1.5, -4, 0.25});
  EXPECT_EQ(relativeError(actual, {1, -4, 0}), 0.125);
  EXPECT_EQ(relativeError(actual, {1.5, -4, 0.25}), 0);
}

TEST(Accuracy, NothingIsLikeNaNButNaN) {
  EXPECT_EQ(relativeError(makeTensor(DType::F32, {2}, {notANumber, 1}),
                          {notANumber, 1}),
            0);
  EXPECT_EQ(relativeError(makeTensor(DType::F32, {1}, {notANumber}), {1}),
            infinity);
  EXPECT_EQ(relativeError(makeTensor(DType::F32, {1}, {1}), {notANumber}),
            infinity);
}

TEST(Accuracy, InfinitiesMustBeEqual) {
  Tensor actual = makeTensor(DType::F32, {2}, {infinity, 1});
  EXPECT_EQ(relativeError(actual, {infinity, 1}), 0);
  EXPECT_EQ(relativeError(actual, {-infinity, 1}), infinity);
  EXPECT_EQ(relativeError(actual, {5, 1}), infinity);
}

TEST(Accuracy, ZerosAdmitOnlyZeros) {
  EXPECT_EQ(relativeError(makeTensor(DType::F32, {1}, {0}), {0}), 0);
  EXPECT_EQ(relativeError(makeTensor(DType::F32, {1}, {1e-30}), {0}), infinity);
  EXPECT_EQ(relativeError(makeTensor(DType::F32, {0}, {}), {}), 0);
  EXPECT_EQ(relativeError(makeTensor(DType::F32, {1}, {0}), {0, 0}), infinity);
}

TEST(Accuracy, RowsLeftOutDoNotCount) {
  Tensor actual = makeTensor(DType::F64, {2, 2}, {1.5, 2, 90, notANumber});
  EXPECT_EQ(relativeError(actual, {1, 2, 50, 1}, {false, true}), 0.25);
  EXPECT_EQ(relativeError(actual, {1, 2, 50, 1}, {true, true}), 0);
  EXPECT_EQ(relativeError(actual, {1, 2, 50, 1}, {false, false}), infinity);
}

TEST(Accuracy, LimitGrowsWithTheScoresAndTheRounding) {
  EXPECT_EQ(errorLimit(DType::F32, 0), std::ldexp(8, -22));
  EXPECT_EQ(errorLimit(DType::F32, 24), std::ldexp(32, -22));
  EXPECT_EQ(errorLimit(DType::F16, 0), std::ldexp(8, -22) + std::ldexp(1, -10));
  EXPECT_EQ(errorLimit(DType::BF16, 0), std::ldexp(8, -22) + std::ldexp(1, -7));
  EXPECT_EQ(errorLimit(DType::I64, 24), 0);
}
