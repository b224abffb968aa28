// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each edge of the order of accesses, and what is reported without it.
#include "Harness.h"

using namespace mixattn::emulator;

INSTANTIATE_TEST_SUITE_P(, Ordered, bothLandings, landingName);

// Each thread writes its word of shared memory and reads another warp's.
static std::string exchange(const std::string &between) {
  return "shl.b32 %r2, %r0, 2; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2], "
         "%r0;\n" +
         between +
         "\nxor.b32 %r3, %r0, 32; shl.b32 %r3, %r3, 2; add.u32 %r3, %r3, %r1;\n"
         "ld.shared.u32 %r4, [%r3];\n"
         "mad.wide.u32 %d0, %r0, 4, %out; st.global.u32 [%d0], %r4;";
}

TEST_P(Ordered, barrierOrdersWarps) {
  EXPECT_EQ(run(exchange("bar.sync 0;"), 64), "");
  EXPECT_EQ(result(3), 35u);
  EXPECT_EQ(run(exchange("barrier.sync.aligned 3, 64;"), 64), "");
  EXPECT_EQ(run(exchange("barrier.cluster.arrive.release.aligned;"
                         "barrier.cluster.wait.acquire.aligned;"),
                64),
            "");
}

TEST_P(Ordered, withoutBarrierIsARace) {
  std::string error = run(exchange("bar.warp.sync -1;"), 64);
  EXPECT_TRUE(contains(error, "race"));
  EXPECT_TRUE(contains(error, "'st.shared.u32 [%r2], %r0'"));
  EXPECT_TRUE(contains(error, "'ld.shared.u32 %r4, [%r3]'"));
}

TEST_P(Ordered, arrivalOrdersOneWay) {
  // Warp 0 writes and arrives, warp 1 waits and reads.
  std::string begin = "setp.ge.u32 %p0, %r0, 32; @%p0 bra reader;"
                      "shl.b32 %r2, %r0, 2; add.u32 %r2, %r2, %r1;",
              end = "ret; reader: bar.sync 1, 64;"
                    "ld.shared.u32 %r4, [%r1]; st.global.u32 [%out], %r4;";
  EXPECT_EQ(run(begin + "st.shared.u32 [%r2], 7; bar.arrive 1, 64;" + end, 64),
            "");
  EXPECT_EQ(result(), 7u);
  EXPECT_TRUE(contains(
      run(begin + "bar.arrive 1, 64; st.shared.u32 [%r2], 7;" + end, 64), "e"));
}

static const std::string makeBarrier =
    "setp.ne.u32 %p0, %r0, 0; @%p0 bra made;"
    "mbarrier.init.shared.b64 [%r1], 1; made: bar.sync 0;";
static const std::string waitForPhase0 =
    "again: mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;"
    "@!%p1 bra again;";

TEST_P(Ordered, mbarrierOrdersWarps) {
  // Thread 0 writes and arrives; the others wait.
  std::string begin = makeBarrier + "@%p0 bra others;",
              end = "others: " + waitForPhase0 +
                    "ld.shared.u32 %r4, [%r1+64]; mad.wide.u32 %d0, %r0, 4, "
                    "%out; st.global.u32 [%d0], %r4;",
              write = "st.shared.u32 [%r1+64], 9;",
              arrive = "mbarrier.arrive.shared.b64 _, [%r1];";
  EXPECT_EQ(run(begin + write + arrive + end, 64), "");
  EXPECT_EQ(result(40), 9u);
  EXPECT_TRUE(contains(run(begin + arrive + write + end, 64), "race"));
}

TEST_P(Ordered, mbarrierNeedsInit) {
  EXPECT_TRUE(contains(run(waitForPhase0), "there is no mbarrier"));
  std::string unordered = "setp.ne.u32 %p0, %r0, 0; @%p0 bra made;"
                          "mbarrier.init.shared.b64 [%r1], 32; made:"
                          "setp.lt.u32 %p0, %r0, 32; @%p0 bra done;"
                          "mbarrier.arrive.shared.b64 _, [%r1]; done:";
  // Depending on the order of warps, the barrier is there or not yet.
  for (uint64_t seed = 1; seed < 5; ++seed) {
    device.options.seed = seed;
    std::string error = run(unordered, 64);
    EXPECT_TRUE(error.find("there is no mbarrier") != std::string::npos ||
                error.find("not ordered after its init") != std::string::npos)
        << error;
  }
}

TEST_P(Ordered, overArrivalIsAnError) {
  EXPECT_TRUE(contains(run("setp.ne.u32 %p0, %r0, 0; @%p0 bra done;"
                           "mbarrier.init.shared.b64 [%r1], 2;"
                           "mbarrier.arrive.shared.b64 _, [%r1], 3; done:"),
                       "more arrivals than the 2"));
}

// cp.async: 16 bytes of each lane.
static std::string copyAsync(const std::string &wait) {
  return "shl.b32 %r2, %r0, 4; add.u32 %r3, %r2, %r1;"
         "cvt.u64.u32 %d1, %r2; add.u64 %d1, %d1, %out;\n"
         "cp.async.cg.shared.global [%r3], [%d1], 16;\n"
         "cp.async.commit_group;\n" +
         wait + "\nld.shared.u32 %r4, [%r3]; cp.async.wait_group 0;";
}

TEST_P(Ordered, copyIsOrderedByItsWait) {
  EXPECT_EQ(run(copyAsync("cp.async.wait_group 0;")), "");
  std::string error = run(copyAsync("cp.async.wait_group 1;"));
  EXPECT_TRUE(contains(error, "race"));
  EXPECT_TRUE(contains(error, "'cp.async.cg.shared.global [%r3], [%d1], 16'"));
  EXPECT_TRUE(contains(error, "'ld.shared.u32 %r4, [%r3]'"));
}

TEST_P(Ordered, copyUnderWayAtTheEndIsAnError) {
  EXPECT_TRUE(contains(run("cp.async.cg.shared.global [%r1], [%out], 16, 0;"
                           "cp.async.commit_group;",
                           1),
                       "cp.async groups are still under way"));
}

TEST_P(Ordered, copyClearsWhatIsNotGiven) {
  EXPECT_EQ(run("cp.async.ca.shared.global [%r1], [%out], 8, 4;"
                "cp.async.wait_all; ld.shared.u32 %r4, [%r1+4];"
                "st.global.u32 [%out+64], %r4;",
                1),
            "");
  EXPECT_EQ(result(16), 0u);
}

TEST_P(Ordered, copyArrivesAtMbarrier) {
  std::string text = makeBarrier +
                     "@%p0 bra others;"
                     "cp.async.ca.shared.global [%r1+64], [%out], 4;"
                     "cp.async.mbarrier.arrive.noinc.shared.b64 [%r1]; bra "
                     "others; others:" +
                     waitForPhase0 + "ld.shared.u32 %r4, [%r1+64];";
  EXPECT_TRUE(contains(run(text, 64), "only lanes"));
  std::string whole =
      "setp.ne.u32 %p0, %r0, 0; @%p0 bra made;"
      "mbarrier.init.shared.b64 [%r1], 32; made: bar.sync 0;"
      "setp.ge.u32 %p0, %r0, 32; @%p0 bra others; shl.b32 %r2, %r0, 2;"
      "add.u32 %r2, %r2, %r1;"
      "cp.async.ca.shared.global [%r2+64], [%out], 4;"
      "cp.async.mbarrier.arrive.noinc.shared.b64 [%r1]; others:" +
      waitForPhase0 + "ld.shared.u32 %r4, [%r1+64];";
  EXPECT_EQ(run(whole, 64), "");
}

TEST_P(Ordered, blocksAreUnordered) {
  std::string error = run("st.global.u32 [%out], 1;", 1, 2);
  EXPECT_TRUE(contains(error, "another block's write"));
  EXPECT_EQ(run("red.global.add.u32 [%out], 1;", 1, 2), "");
  // Launches are ordered one after the other.
  EXPECT_EQ(run("ld.global.u32 %r4, [%out]; st.global.u32 [%out], 5;", 1), "");
}

TEST_P(Ordered, lanesOfOneStoreAgree) {
  EXPECT_TRUE(contains(run("st.shared.u32 [%r1], %r0;"),
                       "two lanes write different values"));
  EXPECT_EQ(run("st.shared.u32 [%r1], 4;"), "");
}
