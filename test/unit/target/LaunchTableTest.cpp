// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the objects that launch kernels: the launcher's limits.
#include "lib/Target/LaunchTable.h"

#include "lib/Runtime/Manifest.h"

#include "gtest/gtest.h"

using namespace mixattn;

/// A manifest of one entry with an argument of `dims` open dims, which launches
/// a kernel of `parameters` parameters.
static Manifest makeManifest(int dims, int parameters) {
  Parameter x{"x", DType::BF16, {}, std::nullopt};
  for (int i = 0; i < dims; ++i)
    x.shape.push_back({"D" + std::to_string(i), 0});
  Launch launch;
  launch.kernel = "f_kernel_0";
  launch.parameters.resize(parameters);
  for (KernelParameter &parameter : launch.parameters)
    parameter.tensor = "x";
  Entry entry;
  entry.name = "f";
  entry.symbol = "mixattn_f";
  entry.arguments = {x};
  entry.launches = {launch};
  Manifest manifest;
  manifest.target.cpu = "sm_80";
  manifest.entries = {entry};
  return manifest;
}

/// Code for the chip of such a manifest.
static std::vector<GpuImage> makeImages() {
  return {{"sm_80", "image", /*isForAllLater=*/true}};
}

static std::string errorOf(const Manifest &manifest) {
  auto objects = makeLaunchObjects(manifest, "{}", makeImages());
  return objects ? "" : objects.message();
}

TEST(LaunchTable, IsAnObject) {
  auto objects = makeLaunchObjects(makeManifest(64, 256), "{}", makeImages());
  ASSERT_TRUE(objects) << objects.message();
  ASSERT_EQ(objects->size(), 2u);
  for (const std::string &object : *objects)
    EXPECT_EQ(object.substr(0, 4), "\x7f"
                                   "ELF");
}

TEST(LaunchTable, Limits) {
  EXPECT_EQ(errorOf(makeManifest(65, 1)),
            "expected at most 64 dims of an entry, but 'f' has 65");
  EXPECT_EQ(errorOf(makeManifest(1, 257)),
            "expected at most 256 parameters of a kernel, but 'f_kernel_0' has "
            "257");
  Manifest manifest = makeManifest(1, 1);
  manifest.entries[0].launches.reset();
  EXPECT_EQ(errorOf(manifest), "the entry 'f' launches no kernels");
}
