// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts that are refused before anything runs.
#include "Harness.h"

using namespace mixattn::emulator;

TEST(Parser, refuses) {
  Harness harness;
  const char *const wrong[][2] = {
      {"frobnicate.b32 %r2, %r0;", "the instruction 'frobnicate' is not known"},
      {"max.relu.f32 %f0, %f1, %f2;", "'.relu' is not known here"},
      {"mul.rn.f32.bf16 %f0, %h0, %f1;", "this type is not known here"},
      {"fma.rn.f32.f32 %f0, %f1, %f2, %f3;", "this type is not known here"},
      {"add.rn.ftz.f32.f16 %f0, %h0, %f1;", "'.ftz' is not known here"},
      {"fma.f32.bf16 %f0, %h0, %h1, %f2;", "expected a rounding"},
      {"sub.f32.bf16 %f0, %f1, %f2;", "the size of '%f1' is not that of the"},
      {"add.s32 %r2, %r0;", "expected 3 operands, but got 2"},
      {"add.s64 %r2, %r0, %r1;", "the size of '%r0' is not that of the type"},
      {"add.s32 %r2, %r0, %q;", "no register '%q'"},
      {"mov.u32 %r2, %clock;", "no register '%clock'"},
      {"bra nowhere;", "no label 'nowhere'"},
      {".local .b8 x[4];", "this directive is not emulated"},
      {"mul.s32 %r2, %r0, %r1;", "expected .lo, .hi or .wide"},
      {"ld.local.b32 %r2, [%d0];", "'.local' is not known here"},
      {"cvt.f32.s32 %f0, %r0;", "expected a rounding"},
      {"wgmma.mma_async.sync.aligned.m64n12k16.f32.bf16.bf16 {%f0}, %d0, %d0, "
       "%p0, 1, 1, 0, 0;",
       "expected .m64nNk16"},
      {"setmaxnreg.inc.sync.aligned.u32 20;", "expected a multiple of 8"},
      {"cp.async.cg.shared.global [%r1], [%d0], 8;", "expected 4, 8 or 16"}};
  for (const auto &[text, message] : wrong) {
    std::string error = harness.run(text);
    EXPECT_TRUE(contains(error, message)) << text;
    EXPECT_TRUE(contains(error, "line ")) << text;
  }
}

TEST(Parser, namesLines) {
  Harness harness;
  // Nine lines stand before the body.
  EXPECT_TRUE(contains(harness.run("\n\nfoo.b32 %r2, %r0;"),
                       "line 13 'foo.b32 %r2, %r0'"));
}

TEST(Parser, knowsScopes) {
  Harness harness;
  EXPECT_EQ(
      harness.run("mov.u32 %r2, 3;\n"
                  "{ .reg .b32 x; mov.u32 x, 4; add.u32 %r2, %r2, x;\n"
                  "  setp.eq.u32 %p0, %r2, 0; @%p0 bra.uni again; again: }"
                  "{ .reg .b32 x; mov.u32 x, 5; add.u32 %r2, %r2, x;\n"
                  "  setp.eq.u32 %p0, %r2, 0; @%p0 bra.uni again; again: }"
                  "st.global.u32 [%out], %r2;",
                  1),
      "");
  EXPECT_EQ(harness.result(), 12u);
}
