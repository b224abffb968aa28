// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sectors, bank conflicts, and how often instructions ran.
#include "Harness.h"

using namespace mixattn::emulator;

static uint64_t conflicts(unsigned shift) {
  Harness harness;
  EXPECT_EQ(harness.run("shl.b32 %r2, %r0, " + std::to_string(shift) +
                        "; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2], 1;"),
            "");
  return harness.device.counters.sharedWavefronts -
         harness.device.counters.sharedLeastWavefronts;
}

TEST(Counters, bankConflicts) {
  EXPECT_EQ(conflicts(2), 0u);
  EXPECT_EQ(conflicts(3), 1u);
  // 32 rows of 128 bytes: all lanes in one bank.
  EXPECT_EQ(conflicts(7), 31u);
}

TEST(Counters, matrixRows) {
  auto count = [](const std::string &shift) {
    Harness harness;
    EXPECT_EQ(harness.run("shl.b32 %r2, %r0, " + shift +
                          "; add.u32 %r2, %r2, %r1; mov.u32 %r3, 0;"
                          "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r2], "
                          "{%r3, %r3, %r3, %r3};"),
              "");
    return harness.device.counters.sharedWavefronts;
  };
  EXPECT_EQ(count("4"), 4u);
  EXPECT_EQ(count("7"), 32u);
}

TEST(Counters, globalSectors) {
  Harness harness;
  EXPECT_EQ(harness.run("mad.wide.u32 %d0, %r0, 4, %out;"
                        "ld.global.u32 %r2, [%d0];"
                        "ld.global.u32 %r2, [%d0];"
                        "mad.wide.u32 %d0, %r0, 64, %out;"
                        "st.global.u32 [%d0], %r2;"),
            "");
  const Counters &counters = harness.device.counters;
  EXPECT_EQ(counters.globalLoadBytes, 256u);
  EXPECT_EQ(counters.globalLoadSectors, 8u);
  EXPECT_EQ(counters.globalLoadSectorsOnce, 4u);
  EXPECT_EQ(counters.globalStoreSectors, 32u);
  EXPECT_EQ(counters.globalStoreSectorsOnce, 32u);
  EXPECT_EQ(counters.executed.at("mad.wide.u32"), 2u);
  EXPECT_TRUE(contains(counters.toJson(), "\"global_store_sectors\": 32"));
}

TEST(Counters, divisionsByConstants) {
  Harness harness;
  EXPECT_EQ(harness.run("cvt.rn.f32.u32 %f1, %r0;"
                        "div.rn.f32 %f2, %f1, 0f41F00000;"
                        "div.rn.f32 %f2, 0f41F00000, %f2;"),
            "");
  const Counters &counters = harness.device.counters;
  EXPECT_EQ(counters.executed.at("div.rn.f32 by a constant"), 1u);
  EXPECT_EQ(counters.executed.at("div.rn.f32"), 1u);
}
