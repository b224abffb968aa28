// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the device, and copies.
#include "State.h"

#include <cstring>

using namespace mixattn::emulator;

static constexpr size_t totalBytes = size_t(16) << 30;

static CUresult allocate(State &state, CUdeviceptr *address, size_t size) {
  if (!address || size == 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (state.device.memory.allocatedBytes() + size > totalBytes)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *address = state.device.memory.allocate(size);
  return CUDA_SUCCESS;
}

static CUresult release(State &state, CUdeviceptr address) {
  if (!address || state.device.memory.release(address))
    return CUDA_SUCCESS;
  return CUDA_ERROR_INVALID_VALUE;
}

MIXATTN_CUDA_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size) {
  MIXATTN_CUDA_ENTER(checkNoCapture());
  return allocate(state, address, size);
}

MIXATTN_CUDA_EXPORT CUresult cuMemFree_v2(CUdeviceptr address) {
  MIXATTN_CUDA_ENTER(checkNoCapture());
  return release(state, address);
}

MIXATTN_CUDA_EXPORT CUresult cuMemAllocAsync(CUdeviceptr *address, size_t size,
                                             CUstream) {
  MIXATTN_CUDA_ENTER(checkNoCapture());
  return allocate(state, address, size);
}

MIXATTN_CUDA_EXPORT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream) {
  MIXATTN_CUDA_ENTER(checkNoCapture());
  return release(state, address);
}

/// Work that needs bytes of the device at one or two addresses.
static CUresult copy(CUstream stream, CUdeviceptr to, void *hostTo,
                     CUdeviceptr from, const void *hostFrom, size_t size) {
  MIXATTN_CUDA_ENTER(check());
  if (size == 0)
    return CUDA_SUCCESS;
  return state.submit(stream, [=]() -> CUresult {
    Memory &memory = State::get().device.memory;
    void *target = hostTo ? hostTo : memory.bytes(to, size);
    const void *source = hostFrom ? hostFrom : memory.bytes(from, size);
    if (!target || !source)
      return CUDA_ERROR_INVALID_VALUE;
    std::memmove(target, source, size);
    return CUDA_SUCCESS;
  });
}

/// The same without a stream: a capture forbids it.
static CUresult copyNow(CUdeviceptr to, void *hostTo, CUdeviceptr from,
                        const void *hostFrom, size_t size) {
  MIXATTN_CUDA_ENTER(checkNoCapture());
  return copy(nullptr, to, hostTo, from, hostFrom, size);
}

MIXATTN_CUDA_EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from,
                                             size_t size) {
  return copyNow(to, nullptr, 0, from, size);
}
MIXATTN_CUDA_EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from,
                                             size_t size) {
  return copyNow(0, to, from, nullptr, size);
}
MIXATTN_CUDA_EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from,
                                             size_t size) {
  return copyNow(to, nullptr, from, nullptr, size);
}
MIXATTN_CUDA_EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to,
                                                  const void *from, size_t size,
                                                  CUstream stream) {
  return copy(stream, to, nullptr, 0, from, size);
}
MIXATTN_CUDA_EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from,
                                                  size_t size,
                                                  CUstream stream) {
  return copy(stream, 0, to, from, nullptr, size);
}
MIXATTN_CUDA_EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to,
                                                  CUdeviceptr from, size_t size,
                                                  CUstream stream) {
  return copy(stream, to, nullptr, from, nullptr, size);
}

template <class T>
static CUresult fill(CUstream stream, CUdeviceptr to, T value, size_t count) {
  MIXATTN_CUDA_ENTER(check());
  if (to % sizeof(T))
    return CUDA_ERROR_INVALID_VALUE;
  return state.submit(stream, [=]() -> CUresult {
    uint8_t *bytes = State::get().device.memory.bytes(to, count * sizeof(T));
    if (!bytes && count)
      return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; ++i)
      std::memcpy(bytes + i * sizeof(T), &value, sizeof value);
    return CUDA_SUCCESS;
  });
}

MIXATTN_CUDA_EXPORT CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value,
                                           size_t count) {
  return fill<unsigned char>(nullptr, to, value, count);
}
MIXATTN_CUDA_EXPORT CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned int value,
                                            size_t count) {
  return fill<unsigned int>(nullptr, to, value, count);
}
MIXATTN_CUDA_EXPORT CUresult cuMemsetD8Async(CUdeviceptr to,
                                             unsigned char value, size_t count,
                                             CUstream stream) {
  return fill<unsigned char>(stream, to, value, count);
}
MIXATTN_CUDA_EXPORT CUresult cuMemsetD32Async(CUdeviceptr to,
                                              unsigned int value, size_t count,
                                              CUstream stream) {
  return fill<unsigned int>(stream, to, value, count);
}

MIXATTN_CUDA_EXPORT CUresult cuMemGetInfo_v2(size_t *available, size_t *total) {
  MIXATTN_CUDA_ENTER(check());
  *total = totalBytes;
  *available = totalBytes - state.device.memory.allocatedBytes();
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuPointerGetAttribute(
    void *value, CUpointer_attribute attribute, CUdeviceptr address) {
  MIXATTN_CUDA_ENTER(check());
  if (!state.device.memory.find(address, 1))
    return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *static_cast<unsigned *>(value) = CU_MEMORYTYPE_DEVICE;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    *static_cast<int *>(value) = 0;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    *static_cast<CUdeviceptr *>(value) = address;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    return cuCtxGetCurrent(static_cast<CUcontext *>(value));
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

MIXATTN_CUDA_EXPORT CUresult
cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes,
                       void **values, CUdeviceptr address) {
  // Of an address that is no device's, this one tells zeros and succeeds.
  for (unsigned i = 0; i < count; ++i)
    if (cuPointerGetAttribute(values[i], attributes[i], address))
      std::memset(values[i], 0, 4);
  return CUDA_SUCCESS;
}
