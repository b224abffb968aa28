// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of instructions on one lane.
#include "Half.h"
#include "Harness.h"

using namespace mixattn::emulator;

static uint32_t value(const std::string &body) {
  Harness harness;
  EXPECT_EQ(harness.run(body + " st.global.b32 [%out], %r9;", 1), "") << body;
  return harness.result();
}

TEST(Arithmetic, integers) {
  EXPECT_EQ(value("mad.lo.s32 %r9, -3, 5, 1;"), uint32_t(-14));
  EXPECT_EQ(value("mul.hi.u32 %r9, 0xffffffff, 0xffffffff;"), 0xfffffffeu);
  EXPECT_EQ(value("mul.hi.s32 %r9, -1, 5;"), ~0u);
  EXPECT_EQ(value("div.s32 %r9, -7, 2;"), uint32_t(-3));
  EXPECT_EQ(value("rem.s32 %r9, -7, 2;"), uint32_t(-1));
  EXPECT_EQ(value("mul.wide.s32 %d0, -2, 3; shr.s64 %d0, %d0, 1;"
                  "cvt.u32.u64 %r9, %d0;"),
            uint32_t(-3));
  EXPECT_EQ(value("shl.b32 %r9, 1, 32;"), 0u);
  EXPECT_EQ(value("shr.s32 %r9, -8, 40;"), ~0u);
  EXPECT_EQ(value("shf.l.wrap.b32 %r9, 0x80000000, 1, 1;"), 3u);
  EXPECT_EQ(value("shf.r.clamp.b32 %r9, 1, 2, 32;"), 2u);
  EXPECT_EQ(value("bfe.s32 %r9, 0xf0, 4, 4;"), ~0u);
  EXPECT_EQ(value("bfi.b32 %r9, 0xf, 0, 8, 4;"), 0xf00u);
  EXPECT_EQ(value("prmt.b32 %r9, 0x33221100, 0x77665544, 0x7531;"),
            0x77553311u);
  EXPECT_EQ(value("lop3.b32 %r9, 0xff00, 0xf0f0, 0xcccc, 0x80;"), 0xc000u);
  EXPECT_EQ(value("popc.b32 %r9, 0xff;"), 8u);
  EXPECT_EQ(value("clz.b32 %r9, 1;"), 31u);
  EXPECT_EQ(value("brev.b32 %r9, 1;"), 0x80000000u);
}

TEST(Arithmetic, fractions) {
  auto bits = [](float x) { return bitCast<uint32_t>(x); };
  EXPECT_EQ(value("fma.rn.f32 %r9, 0f40000000, 0f40400000, 0f3f800000;"),
            bits(7));
  EXPECT_EQ(value("max.f32 %r9, 0f7fc00000, 0f3f800000;"), bits(1));
  EXPECT_EQ(value("max.NaN.f32 %r9, 0f7fc00000, 0f3f800000;"), 0x7fffffffu);
  EXPECT_EQ(value("add.ftz.f32 %r9, 0f00000001, 0f00000001;"), 0u);
  EXPECT_EQ(value("add.rz.f32 %r9, 0f3f800000, 0f33000001;"), bits(1));
  // Pairs of f32: 1 + 2 below 3 + 4.
  EXPECT_EQ(value("mov.b64 %d0, {0f3f800000, 0f40400000};"
                  "mov.b64 %d1, {0f40000000, 0f40800000};"
                  "add.rn.f32x2 %d0, %d0, %d1; mov.b64 {%r8, %r9}, %d0;"),
            bits(7));
  // Sources of 16 bits but the last one.
  const std::string two = "mov.b16 %h0, 0x4000;";
  EXPECT_EQ(value(two + "mov.b16 %h1, 0x4040;"
                        "fma.rn.f32.bf16 %r9, %h0, %h1, 0f3f800001;"),
            bits(7));
  EXPECT_EQ(value(two + "mov.b16 %h1, 0x4200;"
                        "fma.rp.f32.f16 %r9, %h0, %h1, 0f3f800001;"),
            bits(7) + 1);
  EXPECT_EQ(value(two + "add.f32.f16 %r9, %h0, 0f40400000;"), bits(5));
  EXPECT_EQ(value(two + "add.rz.f32.bf16 %r9, %h0, 0f34000001;"), bits(2));
  EXPECT_EQ(value(two + "sub.rn.f32.bf16 %r9, %h0, 0f40400000;"), bits(-1));
  EXPECT_EQ(value("ex2.approx.ftz.f32 %r9, 0f40400000;"), bits(8));
  EXPECT_EQ(value("cvt.rn.bf16x2.f32 %r9, 0f3f800000, 0f40000000;"),
            0x3f804000u);
  EXPECT_EQ(value("cvt.rn.f16.f32 %h0, 0f3f800000; cvt.u32.u16 %r9, %h0;"),
            0x3c00u);
  EXPECT_EQ(value("cvt.rni.s32.f32 %r9, 0f40200000;"), 2u);
  EXPECT_EQ(value("cvt.rzi.u32.f32 %r9, 0fbf800000;"), 0u);
  EXPECT_EQ(value("cvt.rna.tf32.f32 %r9, 0f3f801000;"), 0x3f802000u);
  EXPECT_EQ(value("fma.rn.bf16x2 %r9, 0x3f804000, 0x40004000, 0x3f803f80;"),
            0x404040a0u);
  EXPECT_EQ(value("cvt.rn.relu.bf16x2.f32 %r9, 0fbf800000, 0f40000000;"),
            0x00004000u);
}

TEST(Arithmetic, predicates) {
  EXPECT_EQ(value("setp.lt.s32 %p0|%p1, -1, 0; selp.b32 %r9, 1, 2, %p0;"), 1u);
  EXPECT_EQ(value("setp.lt.s32 %p0|%p1, -1, 0; selp.b32 %r9, 1, 2, %p1;"), 2u);
  EXPECT_EQ(value("setp.eq.u32 %p2, 0, 1;"
                  "setp.ltu.or.f32 %p0, 0f7fc00000, 0f00000000, !%p2;"
                  "selp.b32 %r9, 1, 2, %p0;"),
            1u);
  EXPECT_EQ(value("set.gt.u32.s32 %r9, 3, 2;"), ~0u);
  EXPECT_EQ(value("testp.infinite.f32 %p0, 0f7f800000;"
                  "selp.b32 %r9, 1, 2, %p0;"),
            1u);
  EXPECT_EQ(value("slct.b32.s32 %r9, 7, 8, -1;"), 8u);
}

TEST(Arithmetic, approximationsErr) {
  Harness harness;
  auto run = [&](bool approximates, uint64_t seed) {
    harness.device.options.approximates = approximates;
    harness.device.options.seed = seed;
    EXPECT_EQ(harness.run("ex2.approx.ftz.f32 %f0, 0f3e99999a;"
                          "st.global.f32 [%out], %f0;",
                          1),
              "");
    return double(harness.result<float>());
  };
  double exact = run(false, 1), bound = exact * std::ldexp(1.0, -22) * 1.6;
  bool above = false, below = false;
  for (uint64_t seed = 1; seed < 20; ++seed) {
    double value = run(true, seed);
    EXPECT_LE(std::fabs(value - exact), bound);
    above |= value > exact;
    below |= value < exact;
  }
  EXPECT_TRUE(above && below);
}

TEST(Arithmetic, lanesExchange) {
  Harness harness;
  EXPECT_EQ(harness.run("shfl.sync.bfly.b32 %r2, %r0, 1, 31, -1;"
                        "redux.sync.add.u32 %r3, %r0, -1;"
                        "setp.lt.u32 %p0, %r0, 4;"
                        "vote.sync.ballot.b32 %r4, %p0, -1;"
                        "shfl.sync.up.b32 %r5|%p1, %r0, 1, 0, -1;"
                        "elect.sync _|%p2, -1;"
                        "mad.wide.u32 %d0, %r0, 16, %out;"
                        "st.global.v4.b32 [%d0], {%r2, %r3, %r4, %r5};"
                        "@%p2 st.global.b32 [%out+512], %r0;"),
            "");
  EXPECT_EQ(harness.result(4 * 6), 7u);
  EXPECT_EQ(harness.result(4 * 6 + 1), 496u);
  EXPECT_EQ(harness.result(2), 15u);
  EXPECT_EQ(harness.result(4 * 6 + 3), 5u);
  EXPECT_EQ(harness.result(3), 0u);
  EXPECT_EQ(harness.result(128), 0u);
}

TEST(Arithmetic, lanesDivergeAndMeet) {
  Harness harness;
  // Lane i loops i times.
  EXPECT_EQ(harness.run("mov.u32 %r2, 0; again: setp.ge.u32 %p0, %r2, %r0;"
                        "@%p0 bra done; add.u32 %r2, %r2, 1; bra again; done:"
                        "redux.sync.add.u32 %r3, %r2, -1;"
                        "st.global.b32 [%out], %r3;"),
            "");
  EXPECT_EQ(harness.result(), 496u);
}
