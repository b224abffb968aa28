// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stand-in for libcuda, called as programs call it.
#include "cuda/driver.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static const char *const addOne = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry add_one(.param .u64 out, .param .u32 count)
.maxntid 64, 1, 1
{
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<3>;
  ld.param.u64 %d0, [out]; ld.param.u32 %r0, [count];
  mov.u32 %r1, %tid.x;
  setp.ge.u32 %p, %r1, %r0;
  @%p bra end;
  mad.wide.u32 %d1, %r1, 4, %d0;
  ld.global.u32 %r2, [%d1]; add.u32 %r2, %r2, 1; st.global.u32 [%d1], %r2;
end:
  ret;
}
)";

namespace {
class Driver : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    CUcontext context;
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
    ASSERT_EQ(mixattnEmulatorSet("chip", "sm_80"), 1);
    ASSERT_EQ(cuModuleLoadData(&module, addOne), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetFunction(&function, module, "add_one"), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAlloc_v2(&address, 256), CUDA_SUCCESS);
    ASSERT_EQ(cuMemsetD32_v2(address, 5, 64), CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  }
  CUresult launch(unsigned threads = 64, CUstream stream = nullptr,
                  unsigned shared = 0) {
    uint32_t count = 64;
    void *parameters[] = {&address, &count};
    return cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, shared, stream,
                          parameters, nullptr);
  }
  uint32_t first() {
    uint32_t value = 0;
    EXPECT_EQ(cuMemcpyDtoH_v2(&value, address, 4), CUDA_SUCCESS);
    return value;
  }

  CUmodule module;
  CUfunction function;
  CUdeviceptr address;
};
} // namespace

TEST_F(Driver, launches) {
  EXPECT_EQ(launch(), CUDA_SUCCESS);
  EXPECT_EQ(first(), 6u);
  EXPECT_TRUE(std::strstr(mixattnEmulatorCounters(1), "\"blocks\": 1"));
}

TEST_F(Driver, refusesLaunchesOutOfLimits) {
  EXPECT_EQ(launch(128), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(64, nullptr, 50 * 1024), CUDA_ERROR_INVALID_VALUE);
  auto attribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  EXPECT_EQ(cuFuncSetAttribute(function, attribute, 164 * 1024),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(function, attribute, 163 * 1024), CUDA_SUCCESS);
  EXPECT_EQ(launch(64, nullptr, 50 * 1024), CUDA_SUCCESS);
}

TEST_F(Driver, capturesGraphs) {
  CUstream stream;
  CUgraph graph;
  CUgraphExec exec;
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, 0), CUDA_SUCCESS);
  CUdeviceptr other;
  CUmodule another;
  auto unsupported = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  EXPECT_EQ(cuMemAlloc_v2(&other, 16), unsupported);
  EXPECT_EQ(cuModuleLoadData(&another, addOne), unsupported);
  EXPECT_EQ(cuStreamSynchronize(stream), unsupported);
  EXPECT_EQ(launch(64, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  EXPECT_EQ(first(), 5u);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  EXPECT_EQ(first(), 7u);
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
}

TEST_F(Driver, describesDeviceAndMemory) {
  int value;
  ASSERT_EQ(cuDeviceGetAttribute(
                &value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 8);
  unsigned type = 0;
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                  address + 8),
            CUDA_SUCCESS);
  EXPECT_EQ(type, unsigned(CU_MEMORYTYPE_DEVICE));
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                  reinterpret_cast<CUdeviceptr>(&type)),
            CUDA_ERROR_INVALID_VALUE);
  void *found = nullptr;
  EXPECT_EQ(cuGetProcAddress_v2("cuMemAlloc", &found, 13000, 0, nullptr),
            CUDA_SUCCESS);
  EXPECT_NE(found, nullptr);
  EXPECT_EQ(cuGetProcAddress_v2("cuNothing", &found, 13000, 0, nullptr),
            CUDA_ERROR_NOT_FOUND);
}

// So a workspace that a call is given shows what is read before it is written,
// and every access next to it is one to nothing.
TEST_F(Driver, newMemoryIsNaNAndLiesApart) {
  CUdeviceptr before, given, after;
  for (CUdeviceptr *each : {&before, &given, &after})
    ASSERT_EQ(cuMemAlloc_v2(each, 1024), CUDA_SUCCESS);
  std::vector<uint8_t> bytes(1024);
  ASSERT_EQ(cuMemcpyDtoH_v2(bytes.data(), given, 1024), CUDA_SUCCESS);
  EXPECT_EQ(bytes, std::vector<uint8_t>(1024, 0xff));
  // Also where memory was freed that held other values.
  ASSERT_EQ(cuMemsetD32_v2(given, 5, 256), CUDA_SUCCESS);
  ASSERT_EQ(cuMemFree_v2(given), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAlloc_v2(&given, 1024), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoH_v2(bytes.data(), given, 1024), CUDA_SUCCESS);
  EXPECT_EQ(bytes, std::vector<uint8_t>(1024, 0xff));
  for (CUdeviceptr each : {before, given, after}) {
    EXPECT_EQ(cuMemcpyDtoH_v2(bytes.data(), each + 1024, 1),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyDtoH_v2(bytes.data(), each - 1, 1),
              CUDA_ERROR_INVALID_VALUE);
  }
  for (CUdeviceptr each : {before, given, after})
    EXPECT_EQ(cuMemFree_v2(each), CUDA_SUCCESS);
}

TEST_F(Driver, encodesTensorMaps) {
  CUtensorMap map;
  uint64_t dims[] = {64, 10}, strides[] = {128};
  uint32_t box[] = {64, 8}, ones[] = {1, 1};
  auto encode = [&](uint64_t at, int swizzle) {
    return cuTensorMapEncodeTiled(&map, 9, 2, reinterpret_cast<void *>(at),
                                  dims, strides, box, ones, 0, swizzle, 0, 0);
  };
  EXPECT_EQ(encode(0x1000, 3), CUDA_ERROR_NOT_SUPPORTED);
  ASSERT_EQ(mixattnEmulatorSet("chip", "sm_90a"), 1);
  EXPECT_EQ(encode(0x1000, 3), CUDA_SUCCESS);
  EXPECT_EQ(encode(0x1008, 3), CUDA_ERROR_INVALID_VALUE);
  // A row of 128 bytes does not fit a swizzle of 64.
  EXPECT_EQ(encode(0x1000, 2), CUDA_ERROR_INVALID_VALUE);
  box[1] = 257;
  EXPECT_EQ(encode(0x1000, 3), CUDA_ERROR_INVALID_VALUE);
  box[1] = 8;
  strides[0] = 136;
  EXPECT_EQ(encode(0x1000, 3), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, loadsForItsChipOnly) {
  std::string text = addOne;
  text.replace(text.find("sm_80"), 5, "sm_90a");
  CUmodule other;
  EXPECT_EQ(cuModuleLoadData(&other, text.c_str()),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  text.replace(text.find("ld.global"), 2, "la");
  ASSERT_EQ(mixattnEmulatorSet("chip", "sm_90a"), 1);
  EXPECT_EQ(cuModuleLoadData(&other, text.c_str()), CUDA_ERROR_INVALID_PTX);
  EXPECT_TRUE(std::strstr(mixattnEmulatorMessage(), "'la' is not known"));
}

/// Ends with 0 if a fault of a kernel ends the context.
[[noreturn]] static void runOutOfBounds() {
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdeviceptr address;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  cuModuleLoadData(&module, addOne);
  cuModuleGetFunction(&function, module, "add_one");
  cuMemAlloc_v2(&address, 16);
  uint32_t count = 64;
  void *parameters[] = {&address, &count};
  bool failed = cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr,
                               parameters, nullptr) == CUDA_ERROR_LAUNCH_FAILED;
  failed &= cuMemAlloc_v2(&address, 16) == CUDA_ERROR_LAUNCH_FAILED;
  std::exit(failed ? 0 : 1);
}

TEST(DriverFault, isSticky) {
  EXPECT_EXIT(runOutOfBounds(), testing::ExitedWithCode(0),
              "out of bounds: no allocation");
}
