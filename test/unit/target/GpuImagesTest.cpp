// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of what the names of chips say.
#include "lib/Target/GpuImages.h"

#include "gtest/gtest.h"

using namespace mixattn;

TEST(GpuImages, Chips) {
  EXPECT_EQ(capabilityOf("sm_80"), 80);
  EXPECT_EQ(capabilityOf("sm_90a"), 90);
  EXPECT_EQ(capabilityOf("sm_120"), 120);
  EXPECT_TRUE(isForLater("sm_100"));
  EXPECT_FALSE(isForLater("sm_90a"));
}
