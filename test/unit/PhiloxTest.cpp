// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Philox against the known answers of its authors' Random123.
#include "lib/Reference/Philox.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mixattn;

TEST(Philox, GivesKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                   {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, PairsWords) {
  auto u = [](uint32_t word) { return ((word >> 9) + 0.5) / 8388608; };
  double radius = std::sqrt(-2 * std::log(u(0xbc57ac4c)));
  double angle = 2 * M_PI * u(0x9b00dbd8);
  EXPECT_DOUBLE_EQ(philoxNormal({}, {}, 2), radius * std::cos(angle));
  EXPECT_DOUBLE_EQ(philoxNormal({}, {}, 3), radius * std::sin(angle));
  radius = std::sqrt(-2 * std::log(u(0x6627e8d5)));
  EXPECT_DOUBLE_EQ(philoxNormal({}, {}, 1),
                   radius * std::sin(2 * M_PI * u(0xe169c58d)));
}

TEST(Philox, NormalsHaveMeanZeroAndVarianceOne) {
  double sum = 0, squares = 0;
  constexpr int count = 25000;
  for (uint32_t n = 0; n < count; ++n)
    for (int element = 0; element < 4; ++element) {
      double value = philoxNormal({n, 0, 0, 0}, {1, 0}, element);
      sum += value;
      squares += value * value;
    }
  EXPECT_NEAR(sum / (4 * count), 0, 0.02);
  EXPECT_NEAR(squares / (4 * count), 1, 0.03);
}
