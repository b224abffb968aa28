// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of expressions, as SizeExpressionTest.cpp has them, and none.
extern "C" {
#include "lib/Target/launcher/launcher.h"
}

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <vector>

constexpr int64_t most = std::numeric_limits<int64_t>::max();

static std::optional<int64_t> valueOf(std::vector<mixattn_step> steps) {
  mixattn_request request = {};
  request.dims[0] = 7;
  request.dims[1] = 3;
  request.multiprocessors = 132;
  int64_t value;
  if (!mixattn_evaluate(&request, {steps.data(), int64_t(steps.size())},
                        &value))
    return std::nullopt;
  return value;
}

/// `operation` of two numbers.
static std::optional<int64_t> valueOf(int64_t left, int64_t operation,
                                      int64_t right) {
  return valueOf({{MIXATTN_STEP_NUMBER, left},
                  {MIXATTN_STEP_NUMBER, right},
                  {operation, 0}});
}

TEST(Expressions, Values) {
  EXPECT_EQ(valueOf({}), 0);
  EXPECT_EQ(valueOf({{MIXATTN_STEP_NUMBER, 5}}), 5);
  EXPECT_EQ(valueOf({{MIXATTN_STEP_DIM, 1}}), 3);
  EXPECT_EQ(valueOf({{MIXATTN_STEP_MULTIPROCESSORS, 0}}), 132);
  EXPECT_EQ(valueOf(7, MIXATTN_STEP_ADD, 3), 10);
  EXPECT_EQ(valueOf(3, MIXATTN_STEP_SUBTRACT, 7), -4);
  EXPECT_EQ(valueOf(7, MIXATTN_STEP_MULTIPLY, 3), 21);
  EXPECT_EQ(valueOf(7, MIXATTN_STEP_DIVIDE, 3), 2);
  EXPECT_EQ(valueOf(7, MIXATTN_STEP_REMAINDER, 3), 1);
  EXPECT_EQ(valueOf(7, MIXATTN_STEP_MINIMUM, 3), 3);
  EXPECT_EQ(valueOf(7, MIXATTN_STEP_MAXIMUM, 3), 7);
  EXPECT_EQ(valueOf(7, MIXATTN_STEP_ABOVE, 3), 1);
  EXPECT_EQ(valueOf(3, MIXATTN_STEP_ABOVE, 3), 0);
  EXPECT_EQ(valueOf(3, MIXATTN_STEP_AT_MOST, 3), 1);
  EXPECT_EQ(valueOf(7, MIXATTN_STEP_AT_MOST, 3), 0);
  // (7 + 63) / 64 * 3.
  EXPECT_EQ(valueOf({{MIXATTN_STEP_DIM, 0},
                     {MIXATTN_STEP_NUMBER, 63},
                     {MIXATTN_STEP_ADD, 0},
                     {MIXATTN_STEP_NUMBER, 64},
                     {MIXATTN_STEP_DIVIDE, 0},
                     {MIXATTN_STEP_DIM, 1},
                     {MIXATTN_STEP_MULTIPLY, 0}}),
            3);
}

TEST(Expressions, NoValue) {
  EXPECT_EQ(valueOf(most, MIXATTN_STEP_ADD, 1), std::nullopt);
  EXPECT_EQ(valueOf(-2, MIXATTN_STEP_SUBTRACT, most), std::nullopt);
  EXPECT_EQ(valueOf(most / 2, MIXATTN_STEP_MULTIPLY, 3), std::nullopt);
  EXPECT_EQ(valueOf(7, MIXATTN_STEP_DIVIDE, 0), std::nullopt);
  EXPECT_EQ(valueOf(7, MIXATTN_STEP_REMAINDER, 0), std::nullopt);
  EXPECT_EQ(valueOf(-7, MIXATTN_STEP_DIVIDE, 2), std::nullopt);
  EXPECT_EQ(valueOf(7, 99, 3), std::nullopt);
  EXPECT_EQ(valueOf({{MIXATTN_STEP_ADD, 0}}), std::nullopt);
}

TEST(Expressions, Depth) {
  std::vector<mixattn_step> steps(MIXATTN_MOST_OPERANDS,
                                  {MIXATTN_STEP_NUMBER, 1});
  steps.insert(steps.end(), MIXATTN_MOST_OPERANDS - 1, {MIXATTN_STEP_ADD, 0});
  EXPECT_EQ(valueOf(steps), MIXATTN_MOST_OPERANDS);
  steps.insert(steps.begin(), {MIXATTN_STEP_NUMBER, 1});
  EXPECT_EQ(valueOf(steps), std::nullopt);
}
