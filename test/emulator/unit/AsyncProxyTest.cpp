// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of tensors: their place, their order, and fence.proxy.async.
#include "Harness.h"

using namespace mixattn::emulator;

namespace {
class AsyncProxy : public Ordered {
protected:
  /// A tensor of 8 rows of 64 bf16, 16 of which are in a row of the box.
  AsyncProxy() {
    tensor = device.memory.allocate(1024);
    for (uint16_t i = 0; i < 512; ++i)
      std::memcpy(device.memory.bytes(tensor + 2 * i, 2), &i, 2);
    map.address = tensor;
    map.rank = 2;
    map.elementBytes = 2;
    map.dims = {64, 8};
    map.strides = {128};
    map.box = {64, 8};
    map.swizzle = 128;
  }
  uint64_t tensor;
};
} // namespace

INSTANTIATE_TEST_SUITE_P(, AsyncProxy, bothLandings, landingName);

static std::string load(const std::string &bytes, const std::string &place,
                        const std::string &parity) {
  return "setp.ne.u32 %p0, %r0, 0; @%p0 bra made;"
         "mbarrier.init.shared.b64 [%r1+8192], 1;"
         "fence.mbarrier_init.release.cluster; made: bar.sync 0; @%p0 bra "
         "others;"
         "mbarrier.arrive.expect_tx.shared.b64 _, [%r1+8192], " +
         bytes +
         ";\ncp.async.bulk.tensor.2d.shared::cluster.global.tile"
         ".mbarrier::complete_tx::bytes [%r1], [%map, " +
         place +
         "], [%r1+8192];\nothers:"
         "again: mbarrier.try_wait.parity.shared.b64 %p1, [%r1+8192], " +
         parity + "; @!%p1 bra again;\n";
}

// Stores the two elements at byte `at` of shared memory.
static std::string show(unsigned at) {
  return "ld.shared.u32 %r4, [%r1+" + std::to_string(at) +
         "]; mad.wide.u32 %d0, %r0, 4, %out; st.global.u32 [%d0], %r4;";
}

TEST_P(AsyncProxy, tileIsSwizzled) {
  // Row 3 begins at byte 384; its chunk 5 lies in the place of chunk 5 ^ 3.
  unsigned at = 384 + (5 ^ 3) * 16;
  EXPECT_EQ(run(load("1024", "{0, 0}", "0") + show(at), 64), "");
  uint32_t first = 3 * 64 + 5 * 8;
  EXPECT_EQ(result(50), first | (first + 1) << 16);
}

TEST_P(AsyncProxy, outOfBoundsIsZero) {
  EXPECT_EQ(run(load("1024", "{0, -2}", "0") + show(0)), "");
  EXPECT_EQ(result(), 0u);
  EXPECT_EQ(run(load("1024", "{0, 2}", "0") + show(1000)), "");
  EXPECT_EQ(result(), 0u);
}

TEST_P(AsyncProxy, wrongParityIsARace) {
  EXPECT_TRUE(contains(run(load("1024", "{0, 0}", "1") + show(0), 64), "race"));
}

TEST_P(AsyncProxy, wrongByteCountIsReported) {
  EXPECT_NE(run(load("512", "{0, 0}", "0") + show(0), 64), "");
  EXPECT_NE(run(load("2048", "{0, 0}", "0") + show(0), 64), "");
}

TEST_P(AsyncProxy, reuseNeedsAnEdge) {
  // Thread 0 loads the tile again while the other warp may still read it.
  std::string again =
      "@%p0 bra end;"
      "mbarrier.arrive.expect_tx.shared.b64 _, [%r1+8192], 1024;"
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes [%r1], [%map, {0, 0}], [%r1+8192];"
      "more: mbarrier.try_wait.parity.shared.b64 %p1, [%r1+8192], 1; @!%p1 "
      "bra more; end:";
  std::string once = load("1024", "{0, 0}", "0") + show(0);
  EXPECT_EQ(run(once + "bar.sync 0;" + again, 64), "");
  // A race, or the other warp misses the end of the first phase.
  EXPECT_NE(run(once + again, 64), "");
}

static std::string store(const std::string &fence, const std::string &wait) {
  return "shl.b32 %r2, %r0, 4; add.u32 %r2, %r2, %r1;"
         "st.shared.v4.b32 [%r2], {1, 2, 3, 4};"
         "st.shared.v4.b32 [%r2+512], {1, 2, 3, 4};" +
         fence +
         "bar.sync 0; setp.ne.u32 %p0, %r0, 0; @%p0 bra others;\n"
         "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%map, {0, 4}]"
         ", [%r1];\ncp.async.bulk.commit_group;\n" +
         wait + "\nothers:";
}

TEST_P(AsyncProxy, storeNeedsTheProxyFence) {
  std::string fence = "fence.proxy.async.shared::cta;",
              wait = "cp.async.bulk.wait_group 0;";
  EXPECT_EQ(run(store(fence, wait)), "");
  uint32_t value;
  std::memcpy(&value, device.memory.bytes(tensor + 4 * 128 + 4, 4), 4);
  EXPECT_EQ(value, 2u);
  // Rows past the end are clipped; rows before are not written.
  std::memcpy(&value, device.memory.bytes(tensor + 4, 4), 4);
  EXPECT_EQ(value, 2u | 3u << 16);
  std::string error = run(store("", wait));
  EXPECT_TRUE(contains(error, "needs fence.proxy.async after the generic write"
                              " of line"));
  EXPECT_TRUE(contains(error, "'st.shared.v4.b32"));
  EXPECT_TRUE(contains(error, "'cp.async.bulk.tensor.2d.global"));
}

TEST_P(AsyncProxy, fenceOfGlobalMemoryIsNotEnough) {
  EXPECT_TRUE(contains(
      run(store("fence.proxy.async.global;", "cp.async.bulk.wait_group 0;")),
      "needs fence.proxy.async"));
}

TEST_P(AsyncProxy, kernelMakesItsMap) {
  // The tensor map in the results, of 16 elements, made in shared memory.
  std::string set = "tensormap.replace.tile.", at = ".shared::cta.b1024";
  std::string make =
      "setp.ne.u32 %p0, %r0, 0; shl.b32 %r2, %r0, 2; add.u32 %r2, %r2, %r1;"
      "st.shared.u32 [%r2+1024], 0; bar.warp.sync -1; @%p0 bra made;" +
      set + "global_address" + at + ".b64 [%r1+1024], %out;" + set + "rank" +
      at + ".b32 [%r1+1024], 0;" + set + "box_dim" + at +
      ".b32 [%r1+1024], 0, 16;" + set + "global_dim" + at +
      ".b32 [%r1+1024], 0, 16;" + set + "elemtype" + at +
      ".b32 [%r1+1024], 10;" + set + "swizzle_mode" + at +
      ".b32 [%r1+1024], 0; made: bar.warp.sync -1;"
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release"
      ".gpu.sync.aligned [%out+1024], [%r1+1024], 128;"
      "fence.proxy.tensormap::generic.acquire.gpu [%out+1024], 128;"
      "st.shared.u32 [%r1+4], 77; st.shared.u32 [%r1], 1;"
      "st.shared.v2.u32 [%r1+8], {2, 3}; st.shared.v4.u32 [%r1+16], "
      "{4, 5, 6, 7}; fence.proxy.async; @%p0 bra end; add.u64 %d1, %out, 1024;"
      "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group "
      "[%d1, {0}], [%r1]; cp.async.bulk.commit_group;"
      "cp.async.bulk.wait_group 0; end:";
  EXPECT_EQ(run(make), "");
  EXPECT_EQ(result(1), 77u);
}

TEST_P(AsyncProxy, storeMustBeWaitedFor) {
  std::string fence = "fence.proxy.async.shared::cta;";
  EXPECT_TRUE(
      contains(run(store(fence, "")), "bulk groups are still under way"));
  std::string reuse = "@%p0 bra done; st.shared.u32 [%r1], 9; done:";
  EXPECT_EQ(run(store(fence, "cp.async.bulk.wait_group.read 0;") + reuse), "");
  EXPECT_TRUE(contains(run(store(fence, "cp.async.bulk.wait_group.read 1;"
                                        "st.shared.u32 [%r1], 9;"
                                        "cp.async.bulk.wait_group 0;")),
                       "race"));
}

TEST_P(AsyncProxy, plainBytes) {
  map.rank = 0;
  EXPECT_EQ(
      run("mbarrier.init.shared.b64 [%r1+8192], 1;"
          "mbarrier.arrive.expect_tx.shared.b64 _, [%r1+8192], 32;"
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
          "[%r1], [%out+64], 32, [%r1+8192];"
          "again: mbarrier.try_wait.parity.shared.b64 %p1, [%r1+8192], 0;"
          "@!%p1 bra again; ld.shared.u32 %r4, [%r1];"
          "cp.async.bulk.global.shared::cta.bulk_group [%out+256], [%r1], 32;"
          "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
          1),
      "");
}
