// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds, alignment, values that are missing, deadlocks.
#include "Harness.h"

using namespace mixattn::emulator;

TEST(Fault, bounds) {
  Harness harness;
  EXPECT_TRUE(contains(harness.run("st.global.u32 [%out+65536], 1;", 1),
                       "out of bounds: no allocation"));
  EXPECT_TRUE(contains(harness.run("st.shared.u32 [%r1+16384], 1;", 1),
                       "out of bounds: shared memory of 16384 bytes"));
  EXPECT_TRUE(contains(harness.run("ld.param.b64 %d0, [map+124];", 1),
                       "is no multiple of 8"));
  EXPECT_TRUE(contains(harness.run("ld.param.b64 %d0, [map+128];", 1),
                       "out of bounds: parameters"));
  EXPECT_TRUE(contains(harness.run("st.shared.v2.b32 [%r1+4], {%r0, %r0};", 1),
                       "is no multiple of 8"));
}

TEST(Fault, missingValues) {
  Harness harness;
  EXPECT_TRUE(contains(harness.run("ld.shared.u32 %r2, [%r1];", 1),
                       "of shared memory at 0x0 are read before they are "
                       "written"));
  EXPECT_TRUE(contains(harness.run("add.u32 %r2, %r3, 1;", 1),
                       "a register is read before it is written"));
  // Lanes that did not write it.
  EXPECT_TRUE(contains(harness.run("setp.lt.u32 %p0, %r0, 4;"
                                   "@%p0 mov.u32 %r2, 1; mov.u32 %r3, %r2;"),
                       "a register is read before it is written"));
}

TEST(Fault, deadlock) {
  Harness harness;
  std::string error = harness.run("setp.lt.u32 %p0, %r0, 32;"
                                  "@%p0 bra done; bar.sync 2, 64; done:",
                                  64);
  EXPECT_TRUE(contains(error, "deadlock"));
  EXPECT_TRUE(contains(error, "warp 0 has ended"));
  EXPECT_TRUE(contains(error, "warp 1 waits at line"));
  EXPECT_TRUE(contains(error, "'bar.sync 2, 64'"));
  error = harness.run("mbarrier.init.shared.b64 [%r1], 1;"
                      "again: mbarrier.try_wait.parity.shared.b64 %p0, [%r1], "
                      "0; @!%p0 bra again;",
                      1);
  EXPECT_TRUE(contains(error, "deadlock"));
}

TEST(Fault, divergentWarpInstruction) {
  Harness harness;
  EXPECT_TRUE(contains(harness.run("setp.lt.u32 %p0, %r0, 4; @%p0 "
                                   "redux.sync.add.u32 %r2, %r0, -1;"),
                       "the predicate differs among lanes"));
}

TEST(Fault, mbarriersAreOpaque) {
  Harness harness;
  EXPECT_TRUE(contains(harness.run("mbarrier.init.shared.b64 [%r1+8], 1;"
                                   "ld.shared.u32 %r2, [%r1+12];",
                                   1),
                       "an access to the mbarrier at 0x8"));
}

TEST(Fault, trap) {
  Harness harness;
  EXPECT_TRUE(contains(harness.run("trap;", 1), "the kernel traps"));
}

TEST(Fault, clusters) {
  Harness harness;
  EXPECT_EQ(harness.run("mapa.shared::cluster.u32 %r2, %r1, 0;"
                        "st.shared::cluster.u32 [%r2], 1;",
                        1),
            "");
  EXPECT_TRUE(contains(harness.run("mapa.shared::cluster.u32 %r2, %r1, 1;", 1),
                       "clusters of several blocks"));
}
