// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the CPU as a device, and of how a device is chosen.
// test/tools/mixattn-run-gpu.test has calls on a GPU.
#include "lib/Runtime/HostDevice.h"
#include "test/unit/runtime/Utilities.h"
#include <cstdlib>

using namespace mixattn;

static std::string contentOf(const Memory &memory) {
  std::string content(memory.bytes(), '?');
  EXPECT_TRUE(memory.read(content.data()));
  return content;
}

TEST(HostDevice, MemoryHoldsWhatIsWritten) {
  HostDevice device;
  auto memory = device.allocate(3);
  ASSERT_TRUE((*memory)->write("abc"));
  EXPECT_EQ(contentOf(**memory), "abc");
  ASSERT_TRUE((*memory)->fill('x'));
  EXPECT_EQ(contentOf(**memory), "xxx");
  EXPECT_EQ(messageOf(device.allocate(size_t(1) << 60)),
            "cannot allocate 1152921504606846976 bytes");
}

TEST(HostDevice, TensorsStayWhereTheyAre) {
  HostDevice device;
  auto tensor = Tensor::allocate(DType::I8, {4});
  auto memory = device.place(*tensor);
  EXPECT_EQ((*memory)->address(), tensor->data());
  EXPECT_EQ((*memory)->bytes(), 4U);
}

TEST(HostDeviceDeathTest, ProtectedMemoryCanBeRead) {
  HostDevice device;
  auto memory = device.allocateGuarded(3, Flush::AtStart);
  ASSERT_TRUE((*memory)->write("abc"));
  ASSERT_TRUE((*memory)->protect());
  EXPECT_EQ(contentOf(**memory), "abc");
  EXPECT_TRUE((*memory)->checkGuard());
  EXPECT_DEATH((void)(*memory)->fill('x'), "");
}

TEST(Device, IsThatOfTheTarget) {
  auto host = openDevice({"x86_64", "x86-64", {}}, std::nullopt);
  ASSERT_TRUE(host);
  EXPECT_EQ((*host)->dlpackDevice().device_type, kDLCPU);
  EXPECT_TRUE(openDevice({"x86_64", "x86-64", {}}, DLDevice{kDLCPU, 0}));
  EXPECT_EQ(
      messageOf(openDevice({"x86_64", "x86-64", {}}, DLDevice{kDLCUDA, 0})),
      "expected code for a GPU with '--device', but got code for x86_64");
  EXPECT_EQ(
      messageOf(openDevice({"nvptx64", "sm_80", {}}, DLDevice{kDLCPU, 0})),
      "expected code for a CPU with '--device', but got code for nvptx64");
  setenv("MIXATTN_LIBCUDA", "/no/libcuda", 1);
  EXPECT_EQ(messageOf(openDevice({"nvptx64", "sm_80", {}}, std::nullopt)),
            "there is no CUDA driver: /no/libcuda cannot be loaded "
            "(/no/libcuda: cannot open shared object file: No such file or "
            "directory)");
  unsetenv("MIXATTN_LIBCUDA");
}
