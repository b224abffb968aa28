// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the comparison of results.
#include "lib/Runtime/Accuracy.h"
#include "test/unit/runtime/Utilities.h"
#include <cmath>
#include <limits>

using namespace mixattn;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// Relative to the largest expected value.
static double errorOf(const Tensor &actual, const std::vector<double> &expected,
                      const std::vector<bool> &leftOut = {}) {
  return relativeError(actual, expected, largestMagnitude(expected, leftOut),
                       leftOut);
}

TEST(Accuracy, ErrorIsRelative) {
  Tensor actual = makeTensor(DType::F64, {3}, {1.5, -4, 0.25});
  EXPECT_EQ(errorOf(actual, {1, -4, 0}), 0.125);
  EXPECT_EQ(errorOf(actual, {1.5, -4, 0.25}), 0);
  EXPECT_EQ(relativeError(actual, {1, -4, 0}, 2), 0.25);
}

TEST(Accuracy, LargestMagnitudeIsFinite) {
  EXPECT_EQ(largestMagnitude({1, -4, infinity, notANumber}), 4);
  EXPECT_EQ(largestMagnitude({1, 2, -4, 3}, {false, true}), 2);
  EXPECT_EQ(largestMagnitude({}), 0);
}

TEST(Accuracy, NothingIsLikeNaNButNaN) {
  EXPECT_EQ(
      errorOf(makeTensor(DType::F32, {2}, {notANumber, 1}), {notANumber, 1}),
      0);
  EXPECT_EQ(errorOf(makeTensor(DType::F32, {1}, {notANumber}), {1}), infinity);
  EXPECT_EQ(errorOf(makeTensor(DType::F32, {1}, {1}), {notANumber}), infinity);
}

TEST(Accuracy, InfinitiesMustBeEqual) {
  Tensor actual = makeTensor(DType::F32, {2}, {infinity, 1});
  EXPECT_EQ(errorOf(actual, {infinity, 1}), 0);
  EXPECT_EQ(errorOf(actual, {-infinity, 1}), infinity);
  EXPECT_EQ(errorOf(actual, {5, 1}), infinity);
}

TEST(Accuracy, ZerosAdmitOnlyZeros) {
  EXPECT_EQ(errorOf(makeTensor(DType::F32, {1}, {0}), {0}), 0);
  EXPECT_EQ(errorOf(makeTensor(DType::F32, {1}, {1e-30}), {0}), infinity);
  EXPECT_EQ(errorOf(makeTensor(DType::F32, {0}, {}), {}), 0);
  EXPECT_EQ(errorOf(makeTensor(DType::F32, {1}, {0}), {0, 0}), infinity);
}

TEST(Accuracy, RowsLeftOutDoNotCount) {
  Tensor actual = makeTensor(DType::F64, {2, 2}, {1.5, 2, 90, notANumber});
  EXPECT_EQ(errorOf(actual, {1, 2, 50, 1}, {false, true}), 0.25);
  EXPECT_EQ(errorOf(actual, {1, 2, 50, 1}, {true, true}), 0);
  EXPECT_EQ(errorOf(actual, {1, 2, 50, 1}, {false, false}), infinity);
}

TEST(Accuracy, LimitGrowsWithTheScoresAndTheRounding) {
  EXPECT_EQ(errorLimit(DType::F32, 0, 1), 8 * 0x1p-22);
  EXPECT_EQ(errorLimit(DType::F32, 24, 1), 32 * 0x1p-22);
  EXPECT_EQ(errorLimit(DType::F16, 0, infinity), 8 * 0x1p-22 + 0x1p-10);
  EXPECT_EQ(errorLimit(DType::BF16, 0, 1), 8 * 0x1p-22 + 0x1p-7);
  EXPECT_EQ(errorLimit(DType::I64, 24, 1), 0);
}

TEST(Accuracy, LimitGrowsWhereResultsUnderflow) {
  EXPECT_EQ(errorLimit(DType::F16, 0, 0x1p-22), 8 * 0x1p-22 + 0x1p-10 + 0x1p-2);
  EXPECT_EQ(errorLimit(DType::BF16, 0, 0x1p-108),
            8 * 0x1p-22 + 0x1p-7 + 0x1p-2);
  EXPECT_EQ(errorLimit(DType::F32, 0, 0x1p-131), 8 * 0x1p-22 + 0x1p-2);
  EXPECT_EQ(errorLimit(DType::F32, 0, 0), 8 * 0x1p-22);
}
