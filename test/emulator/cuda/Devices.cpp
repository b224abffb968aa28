// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Initialisation, the device, its context.
#include "State.h"

#include <cstdlib>
#include <cstring>

using namespace mixattn::emulator;

bool &currentContext();

static CUcontext primaryContext() {
  static int context;
  return reinterpret_cast<CUcontext>(&context);
}

MIXATTN_CUDA_EXPORT CUresult cuInit(unsigned int flags) {
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  State &state = State::get();
  if (!state.isChipKnown)
    return state.remember(CUDA_ERROR_INVALID_DEVICE,
                          "MIXATTN_CUDA_CHIP names no chip from sm_75 on");
  state.isInitialised = true;
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuDriverGetVersion(int *version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  const char *given = std::getenv("MIXATTN_CUDA_VERSION");
  *version = given ? std::atoi(given) : 13000;
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  MIXATTN_CUDA_ENTER(check(false));
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  if (ordinal != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuDeviceGetCount(int *count) {
  MIXATTN_CUDA_ENTER(check(false));
  *count = 1;
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuDeviceGetName(char *name, int length,
                                             CUdevice device) {
  MIXATTN_CUDA_ENTER(check(false));
  if (device)
    return CUDA_ERROR_INVALID_DEVICE;
  std::snprintf(name, length, "PTX emulator sm_%d%d", state.chip.major,
                state.chip.minor);
  return CUDA_SUCCESS;
}

static int attributeOf(const State &state, CUdevice_attribute attribute) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
    return 1024;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
    return 64;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
    return 2147483647;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
    return 65535;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    return 48 * 1024;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
    return 32;
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
    return 65536;
  case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
    return 1000000;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    return state.device.options.multiprocessors;
  case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
    return 1000000;
  case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
    return 5120;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
    return 40 << 20;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
    return 2048;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    return state.chip.major;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    return state.chip.minor;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
    return state.chip.sharedOptIn + 1024;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    return state.chip.sharedOptIn;
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
  case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    return 1;
  case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
  case CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED:
    return state.chip.hasTensorMaps();
  default:
    return 0;
  }
}

MIXATTN_CUDA_EXPORT CUresult cuDeviceGetAttribute(int *value,
                                                  CUdevice_attribute attribute,
                                                  CUdevice device) {
  MIXATTN_CUDA_ENTER(check(false));
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  if (device)
    return CUDA_ERROR_INVALID_DEVICE;
  *value = attributeOf(state, attribute);
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice) {
  MIXATTN_CUDA_ENTER(check(false));
  *bytes = size_t(16) << 30;
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context,
                                                      CUdevice device) {
  MIXATTN_CUDA_ENTER(check(false));
  if (device)
    return CUDA_ERROR_INVALID_DEVICE;
  *context = primaryContext();
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  MIXATTN_CUDA_ENTER(check(false));
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuCtxGetCurrent(CUcontext *context) {
  MIXATTN_CUDA_ENTER(check(false));
  *context = currentContext() ? primaryContext() : nullptr;
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
  MIXATTN_CUDA_ENTER(check(false));
  if (context && context != primaryContext())
    return CUDA_ERROR_INVALID_CONTEXT;
  currentContext() = context != nullptr;
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuCtxGetDevice(CUdevice *device) {
  MIXATTN_CUDA_ENTER(check());
  *device = 0;
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuCtxSynchronize(void) {
  MIXATTN_CUDA_ENTER(checkNoCapture());
  return CUDA_SUCCESS;
}
