// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of expressions of dims: their values, their text, every complaint.
#include "lib/Runtime/Manifest.h"
#include "test/unit/runtime/Utilities.h"
#include <limits>

using namespace mixattn;

/// A manifest whose entry has dims N and S, and this workspace.
static Result<Manifest> manifestWith(const std::string &workspace) {
  return parseManifest(R"({"abi": 2, "producer": "test", "target": {"arch":
      "x86_64", "cpu": "x86-64", "features": []}, "entries": [{"name": "f",
      "symbol": "mixattn_f", "arguments": [{"name": "x", "dtype": "f32",
      "shape": ["N", "S"]}], "results": [], "attention": null,
      "workspace": )" + workspace +
                       "}]}");
}

static std::optional<int64_t> valueOf(const std::string &workspace) {
  Result<Manifest> manifest = manifestWith(workspace);
  EXPECT_TRUE(manifest) << manifest.message();
  return manifest->entries[0].workspace->in({{"N", 7}, {"S", 3}}, 4);
}

TEST(SizeExpression, Values) {
  EXPECT_EQ(valueOf("5"), 5);
  EXPECT_EQ(valueOf(R"("N")"), 7);
  EXPECT_EQ(valueOf(R"(["threads"])"), 4);
  EXPECT_EQ(valueOf(R"(["add", "N", "S", 1])"), 11);
  EXPECT_EQ(valueOf(R"(["subtract", "N", "S"])"), 4);
  EXPECT_EQ(valueOf(R"(["multiply", "N", "S", 2])"), 42);
  EXPECT_EQ(valueOf(R"(["divide", "N", "S"])"), 2);
  EXPECT_EQ(valueOf(R"(["remainder", "N", "S"])"), 1);
  EXPECT_EQ(valueOf(R"(["minimum", "N", "S", 5])"), 3);
  EXPECT_EQ(valueOf(R"(["maximum", "N", "S", 5])"), 7);
  EXPECT_EQ(valueOf(R"(["above", "N", "S"])"), 1);
  EXPECT_EQ(valueOf(R"(["above", "S", "S"])"), 0);
  EXPECT_EQ(valueOf(R"(["at_most", "S", "S"])"), 1);
  EXPECT_EQ(valueOf(R"(["at_most", "N", "S"])"), 0);
}

TEST(SizeExpression, NoValue) {
  EXPECT_EQ(valueOf(R"(["minimum", "N", ["multiprocessors"]])"), std::nullopt);
  EXPECT_EQ(valueOf(R"(["subtract", "S", "N"])"), std::nullopt);
  EXPECT_EQ(valueOf(R"(["divide", "N", 0])"), std::nullopt);
  EXPECT_EQ(valueOf(R"(["remainder", "N", ["subtract", "S", "S"]])"),
            std::nullopt);
  EXPECT_EQ(valueOf(R"(["multiply", 4611686018427387904, "N"])"), std::nullopt);
  EXPECT_EQ(valueOf(R"(["add", 9223372036854775807, 1])"), std::nullopt);
}

TEST(SizeExpression, Text) {
  Result<Manifest> manifest = manifestWith(
      R"(["maximum", ["multiply", 64, ["divide", ["add", "N", 63], 64]],
                     ["multiply", ["at_most", "N", 16], ["threads"], "S",
                                  ["multiprocessors"]]])");
  ASSERT_TRUE(manifest) << manifest.message();
  EXPECT_EQ(manifest->entries[0].workspace->toString(),
            "max((64 * ((N + 63) / 64)), ((N <= 16) * threads * S * "
            "multiprocessors))");
}

TEST(SizeExpression, Complaints) {
  auto complaintOf = [](const std::string &workspace) {
    return messageOf(manifestWith(workspace));
  };
  std::string place = "manifest: entries[0].workspace";
  EXPECT_EQ(complaintOf("-1"),
            place + ": expected a number no less than 0, but got -1");
  EXPECT_EQ(complaintOf(R"("M")"),
            place + ": expected a dim of an argument, but got 'M'");
  std::string wrong =
      ": expected an operation of sizes and its operands, at most 64 deep, but "
      "got ";
  EXPECT_EQ(
      complaintOf("[]"),
      "manifest: entries[0].workspace: expected an operation of sizes and "
      "its operands, at most 64 deep, but got '' of 0");
  EXPECT_EQ(complaintOf(R"(["power", 1, 2])"), place + wrong + "'power' of 2");
  EXPECT_EQ(complaintOf(R"(["add", 1])"), place + wrong + "'add' of 1");
  EXPECT_EQ(complaintOf(R"(["divide", 1, 2, 3])"),
            place + wrong + "'divide' of 3");
  EXPECT_EQ(complaintOf(R"(["threads", 1])"), place + wrong + "'threads' of 1");
  EXPECT_EQ(complaintOf(R"(["multiprocessors", 1])"),
            place + wrong + "'multiprocessors' of 1");
  EXPECT_EQ(complaintOf("true"),
            place + ": expected an array, but got boolean");
  std::string deep = "1";
  for (int i = 0; i < 65; ++i)
    deep = R"(["add", )" + deep + ", 1]";
  EXPECT_NE(complaintOf(deep).find(wrong + "'add' of 2"), std::string::npos);
}
