// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of launches in manifests.
#include "lib/Runtime/Manifest.h"
#include "test/unit/runtime/Utilities.h"

using namespace mixattn;

/// A manifest whose one entry has the argument x [B, 8, N], the result o [N],
/// and this launch.
static std::string makeManifest(const std::string &launch,
                                const std::string &chips = "sm_80") {
  return R"({"abi": 2, "producer": "test", "target": {"arch": "nvptx64", "cpu":
             ")" +
         chips +
         R"(", "features": []}, "entries": [{"name": "f", "symbol":
             "mixattn_f", "attention": null, "arguments": [{"name": "x",
             "dtype": "bf16", "shape": ["B", 8, "N"]}], "results": [{"name":
             "o", "dtype": "bf16", "shape": ["N"]}], "launches": [)" +
         launch + "]}]}";
}

/// A launch with one member in place of a good one of that name.
static std::string makeLaunch(const std::string &name,
                              const std::string &value) {
  std::vector<std::pair<std::string, std::string>> members = {
      {"kernel", R"("f_kernel_0")"},
      {"grid", R"([["divide", ["add", "N", 63], 64], 8, "B"])"},
      {"block", "[128, 1, 1]"},
      {"cluster", "[1, 1, 1]"},
      {"shared", "0"},
      {"parameters", "[]"}};
  std::string text;
  for (auto &[key, good] : members)
    text += (text.empty() ? "{\"" : ", \"") + key +
            "\": " + (key == name ? value : good);
  return text + "}";
}

static std::string errorOf(const std::string &name, const std::string &value) {
  return messageOf(parseManifest(makeManifest(makeLaunch(name, value))));
}

TEST(ManifestLaunches, Parses) {
  Result<Manifest> manifest = parseManifest(makeManifest(makeLaunch(
      "parameters",
      R"([{"pointer": "x", "alignment": 16}, {"stride": "o", "dim": 0, "type":
                        "i64"}, {"scalar": "N", "type": "i32"}, {"status":
                        "x"}])")));
  ASSERT_TRUE(manifest) << manifest.message();
  const Launch &launch = manifest->entries[0].launches->front();
  EXPECT_EQ(launch.kernel, "f_kernel_0");
  EXPECT_EQ(launch.grid[0].in({{"N", 65}}, 1), 2);
  EXPECT_EQ(launch.block[0], 128u);
  EXPECT_EQ(launch.parameters[0].kind, KernelParameter::Kind::Pointer);
  EXPECT_EQ(launch.parameters[0].tensor, "x");
  EXPECT_EQ(launch.parameters[0].alignment, 16);
  EXPECT_EQ(launch.parameters[1].kind, KernelParameter::Kind::Stride);
  EXPECT_EQ(launch.parameters[1].tensor, "o");
  EXPECT_EQ(launch.parameters[2].value.in({{"N", 65}}, 1), 65);
  EXPECT_EQ(launch.parameters[3].kind, KernelParameter::Kind::Status);
  EXPECT_EQ(launch.parameters[3].tensor, "x");
}

TEST(ManifestLaunches, Complains) {
  EXPECT_EQ(errorOf("grid", "[1, 2]"),
            "manifest: entries[0].launches[0].grid: expected 3 sizes, but got "
            "2");
  EXPECT_EQ(errorOf("grid", R"([1, 2, "M"])"),
            "manifest: entries[0].launches[0].grid[2]: expected a dim of an "
            "argument, but got 'M'");
  EXPECT_EQ(errorOf("block", "[1]"),
            "manifest: entries[0].launches[0].block: expected 3 numbers, but "
            "got 1");
  EXPECT_EQ(errorOf("cluster", "[0, 1, 1]"),
            "manifest: entries[0].launches[0].cluster[0]: expected a number "
            "from 1 to 1024, but got 0");
  EXPECT_EQ(errorOf("parameters", R"([{"pointer": "y", "alignment": 1}])"),
            "manifest: entries[0].launches[0].parameters[0].pointer: expected "
            "the name of an argument or result, but got 'y'");
  EXPECT_EQ(errorOf("parameters", R"([{"pointer": "x", "alignment": 12}])"),
            "manifest: entries[0].launches[0].parameters[0].alignment: "
            "expected a power of 2 up to 4096, but got 12");
  EXPECT_EQ(
      errorOf("parameters", R"([{"stride": "x", "dim": 3, "type": "i64"}])"),
      "manifest: entries[0].launches[0].parameters[0].dim: expected a "
      "dim of 'x', but got 3");
  EXPECT_EQ(errorOf("parameters", R"([{"status": "y"}])"),
            "manifest: entries[0].launches[0].parameters[0].status: expected "
            "the name of an argument or result, but got 'y'");
  EXPECT_EQ(errorOf("parameters", R"([{"scalar": 1, "type": "i64"}])"),
            "manifest: entries[0].launches[0].parameters[0].type: expected "
            "'i32', but got 'i64'");
}

/// A tensor map of x with one member in place of a good one of that name.
static std::string makeMap(const std::string &name, const std::string &value) {
  std::vector<std::pair<std::string, std::string>> members = {
      {"tensor_map", R"("x")"},
      {"type", R"("bf16")"},
      {"dims", R"(["N", 8, "B"])"},
      {"strides", R"([{"stride": "x", "dim": 1}, ["multiply", 16, "N"]])"},
      {"box", "[64, 8, 1]"},
      {"swizzle", "128"}};
  std::string text;
  for (auto &[key, good] : members)
    text += (text.empty() ? "[{\"" : ", \"") + key +
            "\": " + (key == name ? value : good);
  return text + "}]";
}

TEST(ManifestLaunches, ParsesTensorMaps) {
  Result<Manifest> manifest = parseManifest(
      makeManifest(makeLaunch("parameters", makeMap("swizzle", "64"))));
  ASSERT_TRUE(manifest) << manifest.message();
  const KernelParameter &parameter =
      manifest->entries[0].launches->front().parameters[0];
  EXPECT_EQ(parameter.kind, KernelParameter::Kind::TensorMap);
  EXPECT_EQ(parameter.tensor, "x");
  EXPECT_EQ(parameter.alignment, 16);
  EXPECT_EQ(parameter.map.dims[0].in({{"N", 65}}, 1), 65);
  EXPECT_EQ(parameter.map.strides[0].dim, 1);
  EXPECT_EQ(parameter.map.strides[1].bytes.in({{"N", 65}}, 1), 1040);
  EXPECT_EQ(parameter.map.box[0], 64u);
  EXPECT_EQ(parameter.map.swizzle, 64);
}

TEST(ManifestLaunches, ParsesTensorMapsOfTheWorkspace) {
  std::string text = makeMap("strides", R"([["multiply", 2, 64], 4096])");
  std::string name = R"("x")";
  text.replace(text.find(name), name.size(),
               R"({"workspace": ["add", "N", 1]})");
  Result<Manifest> manifest =
      parseManifest(makeManifest(makeLaunch("parameters", text)));
  ASSERT_TRUE(manifest) << manifest.message();
  const KernelParameter &parameter =
      manifest->entries[0].launches->front().parameters[0];
  EXPECT_EQ(parameter.kind, KernelParameter::Kind::TensorMap);
  EXPECT_EQ(parameter.tensor, "");
  EXPECT_EQ(parameter.value.in({{"N", 65}}, 1), 66);
  EXPECT_EQ(parameter.map.dtype, DType::BF16);
  EXPECT_EQ(parameter.map.strides[0].bytes.in({{"N", 65}}, 1), 128);
  EXPECT_FALSE(parameter.map.strides[0].dim);
}

TEST(ManifestLaunches, ComplainsOfTensorMaps) {
  auto errorOfMap = [](const std::string &name, const std::string &value) {
    return errorOf("parameters", makeMap(name, value));
  };
  std::string place = "manifest: entries[0].launches[0].parameters[0]";
  EXPECT_EQ(errorOfMap("type", R"("f16")"),
            place + ".type: expected 'bf16', the type of 'x', but got 'f16'");
  EXPECT_EQ(errorOfMap("strides", R"([{"stride": "x", "dim": 3}, 16])"),
            place + ".strides[0].dim: expected a dim of 'x', but got 3");
  EXPECT_EQ(errorOfMap("box", "[64, 257, 1]"),
            place + ".box[1]: expected a number from 1 to 256, but got 257");
  EXPECT_EQ(errorOfMap("box", "[64, 8]"),
            place + ": expected 2 to 5 dims, a stride for each but one, and a "
                    "number of the box for each");
  EXPECT_EQ(errorOfMap("swizzle", "16"),
            place + ".swizzle: expected 0, 32, 64 or 128, but got 16");
}

TEST(ManifestLaunches, AreOfTargets) {
  std::string rest = makeLaunch("kernel", R"("f_kernel_0")").substr(1);
  auto launchFor = [&](const std::string &chip) {
    return "{\"target\": \"" + chip + "\", " + rest;
  };
  Result<Manifest> manifest = parseManifest(makeManifest(
      launchFor("sm_80") + ", " + launchFor("sm_90a"), "sm_80,sm_90a"));
  ASSERT_TRUE(manifest) << manifest.message();
  EXPECT_EQ(manifest->target.chips(),
            (std::vector<std::string>{"sm_80", "sm_90a"}));
  EXPECT_EQ(manifest->entries[0].launches->at(0).target, "sm_80");
  EXPECT_EQ(manifest->entries[0].launches->at(1).target, "sm_90a");
  EXPECT_TRUE(parseManifest(makeManifest(launchFor("sm_80"))));
  std::string place = "manifest: entries[0].launches[0].target: ";
  EXPECT_EQ(messageOf(parseManifest(makeManifest(launchFor("sm_86")))),
            place + "expected one of the targets sm_80, but got 'sm_86'");
  EXPECT_EQ(messageOf(parseManifest(
                makeManifest(launchFor("sm_86"), "sm_80,sm_90a"))),
            place + "expected one of the targets sm_80,sm_90a, but got "
                    "'sm_86'");
  EXPECT_NE(messageOf(parseManifest(makeManifest("{" + rest, "sm_80,sm_90a")))
                .find("target"),
            std::string::npos);
}

TEST(ManifestLaunches, VersionsAreOfCpus) {
  std::string text =
      makeManifest(makeLaunch("kernel", R"("f_kernel_0")"), "sm_80");
  text.insert(1, R"("versions": [{"arch": "nvptx64", "cpu": "sm_80",
                    "features": []}], )");
  EXPECT_EQ(
      messageOf(parseManifest(text)),
      "manifest: versions[0].arch: expected a CPU among the versions, but "
      "got 'nvptx64'");
}

TEST(ManifestLaunches, VersionsAreTwoOrMore) {
  for (const char *versions :
       {"", R"({"arch": "x86_64", "cpu": "znver4", "features": []})"}) {
    std::string text =
        makeManifest(makeLaunch("kernel", R"("f_kernel_0")"), "sm_80");
    text.insert(1, R"("versions": [)" + std::string(versions) + "], ");
    EXPECT_EQ(messageOf(parseManifest(text)),
              "manifest: versions: expected two or more versions, but got " +
                  std::string(*versions ? "1" : "0"));
  }
}

/// A manifest for a CPU that, with `gpu` a member of its entry, is for GPUs,
/// too.
static std::string makeBoth(const std::string &gpu) {
  return R"({"abi": 2, "producer": "test", "target": {"arch": "x86_64", "cpu":
             "znver4", "features": ["avx"]}, "gpu": {"arch": "nvptx64", "cpu":
             "sm_80,sm_90a", "features": []}, "entries": [{"name": "f",
             "symbol": "mixattn_f", "attention": null, "packed": 64,
             "workspace": "N", "arguments": [{"name": "x", "dtype": "bf16",
             "shape": ["B", 8, "N"]}], "results": []
             )" +
         gpu + "}]}";
}

TEST(ManifestLaunches, MayBeOfOneHalf) {
  std::string launch = makeLaunch("kernel", R"("f_kernel_0")");
  launch.insert(1, R"("target": "sm_80", )");
  Result<Manifest> both = parseManifest(
      makeBoth(R"(, "gpu": {"workspace": 7, "launches": [)" + launch + "]}"));
  ASSERT_TRUE(both) << both.message();
  Manifest host = both->halfFor(/*isGpu=*/false);
  EXPECT_FALSE(host.gpu);
  EXPECT_EQ(host.target.cpu, "znver4");
  EXPECT_FALSE(host.entries[0].launches);
  EXPECT_EQ(host.entries[0].packed, 64u);
  EXPECT_EQ(host.entries[0].workspace->in({{"N", 5}}, 1), 5);
  Manifest gpus = both->halfFor(/*isGpu=*/true);
  EXPECT_FALSE(gpus.gpu);
  EXPECT_TRUE(gpus.target.isGpu());
  ASSERT_TRUE(gpus.entries[0].launches);
  EXPECT_EQ(gpus.entries[0].launches->front().target, "sm_80");
  EXPECT_EQ(gpus.entries[0].packed, 0u);
  EXPECT_EQ(gpus.entries[0].workspace->in({{"N", 5}}, 1), 7);
  // CPUs stay with the host.
  both->versions = {both->target, both->target};
  EXPECT_EQ(both->halfFor(/*isGpu=*/false).versions.size(), 2u);
  EXPECT_TRUE(both->halfFor(/*isGpu=*/true).versions.empty());
  // That of one alone is whole.
  EXPECT_EQ(host.halfFor(/*isGpu=*/true).target.cpu, "znver4");

  EXPECT_EQ(messageOf(parseManifest(makeBoth(""))),
            "manifest: entries[0]: expected a member 'gpu', but got none");
  launch.replace(launch.find("sm_80"), 5, "sm_86");
  EXPECT_EQ(messageOf(parseManifest(
                makeBoth(R"(, "gpu": {"launches": [)" + launch + "]}"))),
            "manifest: entries[0].gpu.launches[0].target: expected one of the "
            "targets sm_80,sm_90a, but got 'sm_86'");
}
