// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of manifests of code for several CPUs or GPUs, or for CPUs and GPUs.
#include "lib/Target/MergeManifests.h"

#include "gtest/gtest.h"

using namespace mixattn;

/// A manifest of two entries for `chip`: f launches `kernel`, with `workspace`,
/// a member of JSON or nothing, and g launches nothing.
static std::string makeManifest(const std::string &chip,
                                const std::string &kernel,
                                const std::string &workspace) {
  return R"({"entries":[{"launches":[{"kernel":")" + kernel +
         R"("}],"name":"f")" + workspace +
         R"(},{"launches":[],"name":"g"}],"target":{"cpu":")" + chip + R"("}})";
}

TEST(MergeManifests, One) {
  std::string text = makeManifest("sm_80", "a", "");
  EXPECT_EQ(mergeManifests({text}), text);
}

TEST(MergeManifests, Several) {
  EXPECT_EQ(mergeManifests({makeManifest("sm_80", "a", R"(,"workspace":4)"),
                            makeManifest("sm_90a", "b", R"(,"workspace":4)")}),
            R"({"entries":[{"launches":[{"kernel":"a","target":"sm_80"},)"
            R"({"kernel":"b","target":"sm_90a"}],"name":"f","workspace":4},)"
            R"({"launches":[],"name":"g","workspace":0}],)"
            R"("target":{"cpu":"sm_80,sm_90a"}})");
}

// A workspace is large enough for each.
TEST(MergeManifests, Workspaces) {
  std::string text = mergeManifests(
      {makeManifest("sm_80", "a", R"(,"workspace":["add","N",4])"),
       makeManifest("sm_86", "a", ""),
       makeManifest("sm_90a", "b", R"(,"workspace":"N")")});
  EXPECT_NE(text.find(R"("workspace":["maximum",["add","N",4],0,"N"])"),
            std::string::npos)
      << text;
}

// Facts that differ on a GPU stand next to those of the CPU.
TEST(JoinManifests, KeepsBoth) {
  EXPECT_EQ(joinManifests(R"({"entries":[{"name":"f","packed":8,)"
                          R"("workspace":"N"},{"name":"g"}],)"
                          R"("target":{"cpu":"znver4"}})",
                          makeManifest("sm_80", "a", R"(,"workspace":4)")),
            R"({"entries":[{"gpu":{"launches":[{"kernel":"a"}],)"
            R"("workspace":4},"name":"f","packed":8,"workspace":"N"},)"
            R"({"gpu":{"launches":[]},"name":"g"}],)"
            R"("gpu":{"cpu":"sm_80"},"target":{"cpu":"znver4"}})");
}

// Memory is enough for each CPU; the last one is the target.
TEST(MergeVersions, KeepsTheLargest) {
  auto manifest = [](const std::string &cpu, const std::string &first,
                     const std::string &second) {
    return R"({"entries":[{"name":"f")" + first + R"(},{"name":"g")" + second +
           R"(}],"target":{"cpu":")" + cpu + R"("}})";
  };
  std::string wide =
      manifest("wide", R"(,"packed":64,"workspace":"N")", R"(,"workspace":8)");
  std::string narrow =
      manifest("narrow", R"(,"packed":96,"workspace":["add","N",4])", "");
  EXPECT_EQ(mergeVersions({wide}), wide);
  EXPECT_EQ(mergeVersions({wide, narrow}),
            R"({"entries":[{"name":"f","packed":96,"workspace":["maximum","N",)"
            R"(["add","N",4]]},{"name":"g"}],"target":{"cpu":"narrow"},)"
            R"("versions":[{"cpu":"wide"},{"cpu":"narrow"}]})");
}
