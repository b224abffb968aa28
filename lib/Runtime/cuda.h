// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of CUDA's driver API that is used here, typed from its
// documentation, for C11 and C++17. Functions are looked up by name when they
// are used first: nothing links with libcuda.

#ifndef MIXATTN_LIB_RUNTIME_CUDA_H
#define MIXATTN_LIB_RUNTIME_CUDA_H

#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

// CUresult.
enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_JIT_COMPILATION_DISABLED = 223
};

// CUdevice_attribute.
enum {
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97
};

// CUfunction_attribute: static shared memory, and the limit of dynamic.
enum {
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
};

// CUpointer_attribute, and CUmemorytype.
enum {
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9
};
enum { CU_MEMORYTYPE_DEVICE = 2 };

// CUstream_flags: a stream that does not wait for the default one.
enum { CU_STREAM_NON_BLOCKING = 1 };

// CUstreamCaptureStatus.
enum { CU_STREAM_CAPTURE_STATUS_ACTIVE = 1 };

// 128 bytes; the address is a multiple of 64 at least, and newer headers ask
// for 128.
typedef struct CUtensorMap {
  uint64_t opaque[16];
} __attribute__((aligned(128))) CUtensorMap;

// A launch's attribute: 4 bytes that say which, and 64 of its value from byte
// 8 on.
typedef struct CUlaunchAttribute {
  uint32_t id;
  uint32_t pad;
  union {
    unsigned char bytes[64];
    struct {
      unsigned x, y, z;
    } clusterDim;
  } value;
} CUlaunchAttribute;
enum { CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4 };

typedef struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
} CUlaunchConfig;

// Functions that every driver has: FUNCTION(name, (parameters)) of each. All
// return a CUresult.
//
// The driver, devices and contexts.
#define MIXATTN_CUDA_DEVICE_FUNCTIONS(FUNCTION)                                \
  FUNCTION(cuDriverGetVersion, (int *version))                                 \
  FUNCTION(cuInit, (unsigned flags))                                           \
  FUNCTION(cuGetErrorName, (CUresult error, const char **text))                \
  FUNCTION(cuGetErrorString, (CUresult error, const char **text))              \
  FUNCTION(cuDeviceGet, (CUdevice * device, int ordinal))                      \
  FUNCTION(cuDeviceGetName, (char *name, int bytes, CUdevice device))          \
  FUNCTION(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))   \
  FUNCTION(cuCtxSetCurrent, (CUcontext context))

// Code and its launch.
#define MIXATTN_CUDA_LAUNCH_FUNCTIONS(FUNCTION)                                \
  FUNCTION(cuDeviceGetAttribute, (int *value, int attribute, CUdevice device)) \
  FUNCTION(cuCtxGetCurrent, (CUcontext * context))                             \
  FUNCTION(cuCtxGetDevice, (CUdevice * device))                                \
  FUNCTION(cuModuleLoadData, (CUmodule * module, const void *image))           \
  FUNCTION(cuModuleUnload, (CUmodule module))                                  \
  FUNCTION(cuModuleGetFunction,                                                \
           (CUfunction * function, CUmodule module, const char *name))         \
  FUNCTION(cuFuncGetAttribute,                                                 \
           (int *value, int attribute, CUfunction function))                   \
  FUNCTION(cuFuncSetAttribute,                                                 \
           (CUfunction function, int attribute, int value))                    \
  FUNCTION(cuPointerGetAttribute,                                              \
           (void *value, int attribute, CUdeviceptr pointer))                  \
  FUNCTION(cuPointerGetAttributes, (unsigned count, int *attributes,           \
                                    void **values, CUdeviceptr pointer))       \
  FUNCTION(cuStreamIsCapturing, (CUstream stream, int *status))                \
  FUNCTION(cuLaunchKernel,                                                     \
           (CUfunction function, unsigned gridDimX, unsigned gridDimY,         \
            unsigned gridDimZ, unsigned blockDimX, unsigned blockDimY,         \
            unsigned blockDimZ, unsigned sharedMemBytes, CUstream stream,      \
            void **parameters, void **extra))

// Memory, streams and events.
#define MIXATTN_CUDA_MEMORY_FUNCTIONS(FUNCTION)                                \
  FUNCTION(cuDeviceGetCount, (int *count))                                     \
  FUNCTION(cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes))               \
  FUNCTION(cuMemFree_v2, (CUdeviceptr address))                                \
  FUNCTION(cuMemcpyHtoDAsync_v2,                                               \
           (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))  \
  FUNCTION(cuMemcpyDtoHAsync_v2,                                               \
           (void *to, CUdeviceptr from, size_t bytes, CUstream stream))        \
  FUNCTION(cuMemsetD8Async, (CUdeviceptr to, unsigned char value,              \
                             size_t bytes, CUstream stream))                   \
  FUNCTION(cuStreamCreate, (CUstream * stream, unsigned flags))                \
  FUNCTION(cuStreamDestroy_v2, (CUstream stream))                              \
  FUNCTION(cuStreamSynchronize, (CUstream stream))                             \
  FUNCTION(cuEventCreate, (CUevent * event, unsigned flags))                   \
  FUNCTION(cuEventDestroy_v2, (CUevent event))                                 \
  FUNCTION(cuEventRecord, (CUevent event, CUstream stream))                    \
  FUNCTION(cuEventElapsedTime,                                                 \
           (float *milliseconds, CUevent begin, CUevent end))

// Functions of later drivers, NULL in those before: 11.8, 12.0, 12.0, 12.4.
#define MIXATTN_CUDA_LATER_FUNCTIONS(FUNCTION)                                 \
  FUNCTION(cuLaunchKernelEx,                                                   \
           (const CUlaunchConfig *config, CUfunction function,                 \
            void **parameters, void **extra))                                  \
  FUNCTION(cuTensorMapEncodeTiled,                                             \
           (CUtensorMap * map, int dataType, uint32_t rank, void *address,     \
            const uint64_t *dims, const uint64_t *strides,                     \
            const uint32_t *box, const uint32_t *elementStrides,               \
            int interleave, int swizzle, int promotion, int fill))             \
  FUNCTION(cuCtxGetId, (CUcontext context, unsigned long long *id))            \
  FUNCTION(cuFuncLoad, (CUfunction function))

#endif // MIXATTN_LIB_RUNTIME_CUDA_H
