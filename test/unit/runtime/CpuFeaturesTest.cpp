// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of what this machine can run.
#include "lib/Runtime/CpuFeatures.h"
#include "test/unit/runtime/Utilities.h"

using namespace mixattn;

TEST(CpuFeatures, AgreesWithTheCompilersOwnTable) {
#define EXPECT_LIKE_BUILTIN(ours, theirs)                                      \
  EXPECT_EQ(hasCpuFeature(recordOfThisMachine(), ours),                        \
            __builtin_cpu_supports(theirs) != 0)                               \
      << ours
  EXPECT_LIKE_BUILTIN("sse4.2", "sse4.2");
  EXPECT_LIKE_BUILTIN("avx", "avx");
  EXPECT_LIKE_BUILTIN("avx2", "avx2");
  EXPECT_LIKE_BUILTIN("fma", "fma");
  EXPECT_LIKE_BUILTIN("bmi2", "bmi2");
  EXPECT_LIKE_BUILTIN("avx512f", "avx512f");
  EXPECT_LIKE_BUILTIN("avx512vl", "avx512vl");
  EXPECT_LIKE_BUILTIN("avx512vbmi2", "avx512vbmi2");
  EXPECT_LIKE_BUILTIN("avx512vnni", "avx512vnni");
  EXPECT_LIKE_BUILTIN("gfni", "gfni");
  EXPECT_LIKE_BUILTIN("fma4", "fma4");
  EXPECT_LIKE_BUILTIN("xop", "xop");
}

TEST(CpuFeatures, TuningIsNotMissing) {
  const CpuRecord none;
  EXPECT_TRUE(hasCpuFeature(none, "fast-gather"));
  EXPECT_TRUE(hasCpuFeature(none, "prefer-256-bit"));
  EXPECT_TRUE(hasCpuFeature(none, "xsaves"));
  EXPECT_FALSE(hasCpuFeature(none, "avx1024"));
}

TEST(CpuFeatures, TargetOfThisMachine) {
  EXPECT_TRUE(checkTarget({"x86_64", "x86-64", {"64bit", "sse2", "x87"}}));
}

TEST(CpuFeatures, TargetOfAnotherMachine) {
  EXPECT_EQ(
      messageOf(checkTarget({"x86_64", "next", {"sse2", "avx1024"}})),
      "made for CPU 'next', but this machine lacks its feature 'avx1024'");
  EXPECT_EQ(messageOf(checkTarget({"aarch64", "generic", {}})),
            "expected a target of arch 'x86_64', but got 'aarch64'");
}

TEST(CpuFeatures, OneOfSeveralCpusIsEnough) {
  Target first = {"x86_64", "next", {"avx1024"}},
         last = {"x86_64", "x86-64", {"sse2"}};
  Manifest manifest;
  manifest.versions = {first, last};
  manifest.target = last;
  EXPECT_TRUE(checkCode(manifest));
  manifest.versions = {last, first};
  manifest.target = first;
  EXPECT_TRUE(checkCode(manifest));
  manifest.versions = {first, first};
  EXPECT_EQ(
      messageOf(checkCode(manifest)),
      "made for CPU 'next', but this machine lacks its feature 'avx1024'");
}

TEST(CpuFeatures, AnswersOfAvx10AreAVersion) {
  auto answers = answersWith("avx10.2-512");
  ASSERT_TRUE(answers);
  ASSERT_EQ(answers->size(), 2u);
  EXPECT_EQ((*answers)[1].least, 2u);
  EXPECT_TRUE(answersWith("fast-gather")->empty());
  EXPECT_FALSE(answersWith("avx1024"));
}

TEST(CpuFeatures, TargetOfAGpuAsksNothingOfTheCpu) {
  EXPECT_TRUE(checkTarget({"nvptx64", "sm_90a", {}}));
}
