// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fragments, descriptors and products against the formulas of the PTX ISA.
#include "Descriptor.h"
#include "Fragments.h"
#include "Harness.h"

#include <set>

using namespace mixattn::emulator;

// PTX ISA, Matrix Fragments for mma.m16n8k16 with floating point type: groupID
// is the lane / 4, threadID_in_group the lane % 4.
TEST(Fragments, areThoseOfTheIsa) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned group = lane / 4, inGroup = lane % 4;
    for (unsigned i = 0; i < 8; ++i) {
      unsigned row = i < 2 || (i >= 4 && i < 6) ? group : group + 8;
      unsigned k = inGroup * 2 + (i & 1) + (i >= 4 ? 8 : 0);
      Holder holder = holderOfA(row, k);
      EXPECT_EQ(holder.lane, lane);
      EXPECT_EQ(holder.reg * 2 + holder.element, i);
    }
    for (unsigned i = 0; i < 4; ++i) {
      Holder b = holderOfB(inGroup * 2 + (i & 1) + (i >= 2 ? 8 : 0), group);
      EXPECT_EQ(b.lane, lane);
      EXPECT_EQ(b.reg * 2 + b.element, i);
      Holder c = holderOfD(i < 2 ? group : group + 8, inGroup * 2 + (i & 1));
      EXPECT_EQ(c.lane, lane);
      EXPECT_EQ(c.reg, i);
      // tf32, m16n8k8: a0 (g, t), a1 (g + 8, t), a2 (g, t + 4), a3 both.
      Holder a = holderOfSingleA(group + (i & 1) * 8, inGroup + i / 2 * 4);
      EXPECT_EQ(a.lane, lane);
      EXPECT_EQ(a.reg, i);
    }
    // wgmma D: row = lane / 4 + 8 (i / 2 % 2), column = 8 (i / 4) +
    // 2 (lane % 4) + i % 2.
    for (unsigned i = 0; i < 128; ++i) {
      Holder d =
          holderOfD(group + 8 * (i / 2 % 2), 8 * (i / 4) + inGroup * 2 + i % 2);
      EXPECT_EQ(d.lane, lane);
      EXPECT_EQ(d.reg, i);
    }
  }
}

// PTX ISA, Swizzling modes: the table of 128 bytes lists, for row r, chunks
// 0..7 as c ^ r; of 64 bytes, (c ^ (r / 2)) in four; of 32, c ^ (r / 4).
TEST(Swizzle, isThatOfTheIsa) {
  for (unsigned r = 0; r < 8; ++r) {
    for (unsigned c = 0; c < 8; ++c)
      EXPECT_EQ(swizzled(r * 128 + c * 16, 128), r * 128 + (c ^ r) * 16);
    for (unsigned c = 0; c < 4; ++c)
      EXPECT_EQ(swizzled(r * 64 + c * 16, 64), r * 64 + (c ^ (r / 2)) * 16);
    for (unsigned c = 0; c < 2; ++c)
      EXPECT_EQ(swizzled(r * 32 + c * 16, 32), r * 32 + (c ^ (r / 4)) * 16);
    EXPECT_EQ(swizzled(r * 128 + 5, 0), r * 128 + 5);
  }
}

TEST(Descriptor, fields) {
  // 128-byte swizzle, 1024 bytes between atoms, begins at 0x2000.
  Descriptor d(1ull << 62 | 64ull << 32 | 1ull << 16 | 0x200);
  EXPECT_EQ(d.begin, 0x2000u);
  EXPECT_EQ(d.span, 128u);
  EXPECT_EQ(d.stride, 1024u);
  EXPECT_EQ(d.leading, 16u);
  EXPECT_EQ(d.addressOf(0, 0, false), 0x2000u);
  // Row 9: the second atom, its row 1, whose chunks are xored with 1.
  EXPECT_EQ(d.addressOf(9, 0, false), 0x2000u + 1024 + 128 + 16);
  EXPECT_THROW(Descriptor(1ull << 15), Failure);
  EXPECT_THROW(Descriptor(1ull << 49), Failure);
}

/// Every element has bytes of its own, in each layout of a tile of 64 by 16.
TEST(Descriptor, layoutsAreOneToOne) {
  for (uint64_t mode = 0; mode < 4; ++mode) {
    uint64_t span = std::array{16, 128, 64, 32}[mode];
    for (bool isMnMajor : {false, true}) {
      // Atoms follow each other.
      uint64_t stride = 8 * span, leading = isMnMajor ? 2 * stride : 1024;
      if (span == 16)
        leading = 128, stride = 256;
      Descriptor d(mode << 62 | stride / 16 << 32 | leading / 16 << 16 | 64);
      std::set<uint32_t> seen;
      for (unsigned mn = 0; mn < 64; ++mn)
        for (unsigned k = 0; k < 16; ++k)
          EXPECT_TRUE(seen.insert(d.addressOf(mn, k, isMnMajor)).second)
              << mode << isMnMajor << " " << mn << " " << k;
      EXPECT_GE(*seen.begin(), 1024u);
    }
  }
}

namespace {
/// Writes A, 16 by 16, and B, 16 by 8, of small integers as bf16 into shared
/// memory: A rows of 32 bytes at 0, B as columns of 32 bytes at 512.
const std::string fillTiles =
    "mov.u32 %r2, %r0; fill: mul.lo.u32 %r3, %r2, 7; and.b32 %r3, %r3, 15;"
    "cvt.rn.f32.u32 %f0, %r3; cvt.rn.bf16.f32 %h0, %f0;"
    "shl.b32 %r4, %r2, 1; add.u32 %r4, %r4, %r1; st.shared.b16 [%r4], %h0;"
    "add.u32 %r2, %r2, 32; setp.lt.u32 %p0, %r2, 384; @%p0 bra fill;"
    "bar.warp.sync -1;";
double tile(unsigned i) { return i * 7 & 15; }
double reference(unsigned row, unsigned column) {
  double sum = 0;
  for (unsigned k = 0; k < 16; ++k)
    sum += tile(row * 16 + k) * tile(256 + column * 16 + k);
  return sum;
}
} // namespace

TEST(Mma, productOfLoadedFragments) {
  Harness harness;
  // Squares of A: rows 0-7, 8-15 of columns 0-7, then of 8-15.
  std::string error = harness.run(
      fillTiles +
      "and.b32 %r5, %r0, 15; shl.b32 %r5, %r5, 5; and.b32 %r6, %r0, 16;"
      "add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r1;"
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, "
      "[%r5];"
      "and.b32 %r7, %r0, 7; shl.b32 %r7, %r7, 5; and.b32 %r8, %r0, 8;"
      "shl.b32 %r8, %r8, 1; add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %r1;"
      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r14, %r15}, [%r7+512];"
      "mov.f32 %f1, 0f00000000;"
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f10, %f11, %f12, "
      "%f13}, {%r10, %r11, %r12, %r13}, {%r14, %r15}, {%f1, %f1, %f1, %f1};"
      "mad.wide.u32 %d0, %r0, 16, %out;"
      "st.global.v4.f32 [%d0], {%f10, %f11, %f12, %f13};");
  ASSERT_EQ(error, "");
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i)
      EXPECT_EQ(harness.result<float>(4 * lane + i),
                reference(lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2));
}

TEST(Mma, transposedLoadAndStore) {
  Harness harness;
  ASSERT_EQ(harness.run(
                fillTiles +
                "shl.b32 %r5, %r0, 4; add.u32 %r5, %r5, %r1;"
                "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r10}, [%r5];"
                "bar.warp.sync -1;"
                "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r5+1024], "
                "{%r10}; mad.wide.u32 %d0, %r0, 8, %out;"
                "setp.ge.u32 %p1, %r0, 8; @%p1 bra end;"
                "ld.shared.u32 %r11, [%r5+1024]; ld.shared.u32 %r12, [%r5];"
                "st.global.v2.b32 [%d0], {%r11, %r12}; end:"),
            "");
  for (unsigned row = 0; row < 8; ++row)
    EXPECT_EQ(harness.result(2 * row), harness.result(2 * row + 1));
}

// One warpgroup: A, 64 by 16, K-major without swizzle at 0; B, 8 by 16, at
// 4096.
static std::string wgmma(const std::string &fence, const std::string &before,
                         const std::string &after, const std::string &wait,
                         unsigned leading = 128, unsigned stride = 256) {
  auto descriptor = [&](unsigned begin) {
    return std::to_string(begin / 16 | uint64_t(leading / 16) << 16 |
                          uint64_t(stride / 16) << 32);
  };
  // Element (row, k) lies at row / 8 * 256 + k / 8 * 128 + row % 8 * 16 + 2
  // k%8.
  return "mov.u32 %r2, %r0; fill: mul.lo.u32 %r3, %r2, 7;"
         "and.b32 %r3, %r3, 15; cvt.rn.f32.u32 %f0, %r3;"
         "cvt.rn.bf16.f32 %h0, %f0; shl.b32 %r4, %r2, 1;"
         "add.u32 %r4, %r4, %r1; st.shared.b16 [%r4], %h0;"
         "setp.ge.u32 %p0, %r2, 128; @%p0 bra next; st.shared.b16 [%r4+4096], "
         "%h0; next: add.u32 %r2, %r2, 128; setp.lt.u32 %p0, %r2, 1024;"
         "@%p0 bra fill; mov.f32 %f10, 0f00000000; mov.f32 %f11, %f10;"
         "mov.f32 %f12, %f10; mov.f32 %f13, %f10; setp.eq.u32 %p3, 0, 0;" +
         fence + "bar.sync 0; mov.b64 %d5, " + descriptor(0) +
         "; mov.b64 %d6, " + descriptor(4096) + ";\n" + before +
         "\nwgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f10, %f11, "
         "%f12, %f13}, %d5, %d6, %p3, 1, 1, 0, 0;\n" +
         after + wait +
         "\nmad.wide.u32 %d0, %r0, 16, %out;"
         "st.global.v4.f32 [%d0], {%f10, %f11, %f12, %f13};";
}
static const std::string proxy = "fence.proxy.async.shared::cta;",
                         fence = "wgmma.fence.sync.aligned;",
                         commit = "wgmma.commit_group.sync.aligned;",
                         waitAll = "wgmma.wait_group.sync.aligned 0;";

namespace {
class Wgmma : public Ordered {};
} // namespace

INSTANTIATE_TEST_SUITE_P(, Wgmma, bothLandings, landingName);

TEST_P(Wgmma, product) {
  ASSERT_EQ(run(wgmma(proxy, fence, commit, waitAll), 128), "");
  auto element = [](unsigned row, unsigned k) {
    return double((row / 8 * 128 + k / 8 * 64 + row % 8 * 8 + k % 8) * 7 & 15);
  };
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned i = 0; i < 4; ++i) {
      unsigned row = thread / 32 * 16 + thread % 32 / 4 + i / 2 * 8,
               column = thread % 4 * 2 + i % 2;
      double sum = 0;
      for (unsigned k = 0; k < 16; ++k)
        sum += element(row, k) * element(column, k);
      EXPECT_EQ(result<float>(4 * thread + i), sum) << thread << " " << i;
    }
}

TEST_P(Wgmma, needsFences) {
  EXPECT_TRUE(contains(run(wgmma("", fence, commit, waitAll), 128),
                       "needs fence.proxy.async"));
  EXPECT_TRUE(contains(run(wgmma(proxy, "", commit, waitAll), 128),
                       "there was no wgmma.fence"));
  EXPECT_TRUE(contains(
      run(wgmma(proxy, fence + "mov.f32 %f10, 0f00000000;", commit, waitAll),
          128),
      "accessed after the last wgmma.fence"));
}

TEST_P(Wgmma, mustBeWaitedFor) {
  std::string error = run(wgmma(proxy, fence, commit, ""), 128);
  EXPECT_TRUE(contains(error, "a register is read while wgmma still writes"));
  EXPECT_TRUE(contains(error, "'wgmma.mma_async"));
  EXPECT_TRUE(contains(error, "'st.global.v4.f32"));
  EXPECT_TRUE(contains(
      run(wgmma(proxy, fence, commit, "wgmma.wait_group.sync.aligned 1;"), 128),
      "a register is read while wgmma still writes"));
  EXPECT_TRUE(contains(
      run(wgmma(proxy, fence, commit + "mov.f32 %f10, 0f00000000;", waitAll),
          128),
      "a register is written while wgmma still writes"));
  EXPECT_TRUE(contains(run(wgmma(proxy, fence, commit + "ret;", ""), 128),
                       "wgmma groups are still under way"));
  // Shared memory that the product still reads.
  EXPECT_TRUE(contains(
      run(wgmma(proxy, fence, commit + "st.shared.b16 [%r1], %h0;", waitAll),
          128),
      "two lanes"));
  std::string reuse = "setp.ne.u32 %p4, %r0, 0; @%p4 bra kept;"
                      "st.shared.b16 [%r1], %h0; kept:";
  EXPECT_TRUE(
      contains(run(wgmma(proxy, fence, commit + reuse, waitAll), 128), "race"));
}

TEST_P(Wgmma, needsAWholeWarpgroup) {
  std::string skip = "setp.ge.u32 %p5, %r0, 96; @%p5 bra skipped;" + fence;
  EXPECT_TRUE(
      contains(run(wgmma(proxy, skip, commit, waitAll + "skipped:"), 128),
               "warp 3 does not execute the wgmma"));
}

TEST_P(Wgmma, stridesMatter) {
  // Leading and stride exchanged read other bytes.
  ASSERT_EQ(run(wgmma(proxy, fence, commit, waitAll), 128), "");
  float right = result<float>(4 * 40);
  std::string error = run(wgmma(proxy, fence, commit, waitAll, 256, 128), 128);
  EXPECT_TRUE(!error.empty() || result<float>(4 * 40) != right);
}
