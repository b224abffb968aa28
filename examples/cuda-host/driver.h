// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of CUDA's driver API that this program calls, typed from its
// documentation: nothing is included from CUDA, and nothing linked with it.
// Drivers of CUDA 12 and later have all of them.
#ifndef MIXATTN_EXAMPLES_CUDA_HOST_DRIVER_H
#define MIXATTN_EXAMPLES_CUDA_HOST_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;

typedef struct {
  _Alignas(64) uint64_t opaque[16];
} CUtensorMap;

// Those of the errors that are told apart.
enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_FAILED = 719
};

// A CUdevice_attribute.
enum { CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16 };

// A CUfunction_attribute: dynamic shared memory above 48 KiB is asked for.
enum { CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8 };

// A CUstream_flags: the stream does not wait for the stream 0.
enum { CU_STREAM_NON_BLOCKING = 1 };

// A CUstreamCaptureMode: a capture makes calls that would break it fail.
enum { CU_STREAM_CAPTURE_MODE_GLOBAL = 0 };

// What cuTensorMapEncodeTiled is told. A CUtensorMapDataType:
enum { CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9 };
// A CUtensorMapInterleave, and a CUtensorMapFloatOOBfill: no interleaved
// layout, and zeros outside of the tensor.
enum {
  CU_TENSOR_MAP_INTERLEAVE_NONE = 0,
  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0
};
// A CUtensorMapL2promotion: a miss brings 256 bytes to the L2 cache.
enum { CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3 };

// FUNCTION(name, (parameters)) of each; all return a CUresult.
#define DRIVER_FUNCTIONS(FUNCTION)                                             \
  FUNCTION(cuInit, (unsigned flags))                                           \
  FUNCTION(cuGetErrorName, (CUresult error, const char **text))                \
  FUNCTION(cuGetErrorString, (CUresult error, const char **text))              \
  FUNCTION(cuDeviceGet, (CUdevice * device, int ordinal))                      \
  FUNCTION(cuDeviceGetAttribute, (int *value, int attribute, CUdevice device)) \
  FUNCTION(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))   \
  FUNCTION(cuDevicePrimaryCtxRelease_v2, (CUdevice device))                    \
  FUNCTION(cuCtxSetCurrent, (CUcontext context))                               \
  FUNCTION(cuModuleLoadData, (CUmodule * module, const void *image))           \
  FUNCTION(cuModuleUnload, (CUmodule module))                                  \
  FUNCTION(cuModuleGetFunction,                                                \
           (CUfunction * function, CUmodule module, const char *name))         \
  FUNCTION(cuFuncSetAttribute,                                                 \
           (CUfunction function, int attribute, int value))                    \
  FUNCTION(cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes))               \
  FUNCTION(cuMemFree_v2, (CUdeviceptr address))                                \
  FUNCTION(cuMemcpyHtoDAsync_v2,                                               \
           (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))  \
  FUNCTION(cuMemcpyDtoHAsync_v2,                                               \
           (void *to, CUdeviceptr from, size_t bytes, CUstream stream))        \
  FUNCTION(cuStreamCreate, (CUstream * stream, unsigned flags))                \
  FUNCTION(cuStreamSynchronize, (CUstream stream))                             \
  FUNCTION(cuStreamDestroy_v2, (CUstream stream))                              \
  FUNCTION(cuStreamBeginCapture_v2, (CUstream stream, int mode))               \
  FUNCTION(cuStreamEndCapture, (CUstream stream, CUgraph * graph))             \
  FUNCTION(                                                                    \
      cuGraphInstantiateWithFlags,                                             \
      (CUgraphExec * executable, CUgraph graph, unsigned long long flags))     \
  FUNCTION(cuGraphLaunch, (CUgraphExec executable, CUstream stream))           \
  FUNCTION(cuGraphExecDestroy, (CUgraphExec executable))                       \
  FUNCTION(cuGraphDestroy, (CUgraph graph))                                    \
  FUNCTION(cuTensorMapEncodeTiled,                                             \
           (CUtensorMap * map, int type, uint32_t rank, void *address,         \
            const uint64_t *dims, const uint64_t *strides,                     \
            const uint32_t *box, const uint32_t *elementStrides,               \
            int interleave, int swizzle, int promotion, int fill))             \
  FUNCTION(cuLaunchKernel,                                                     \
           (CUfunction function, unsigned gridDimX, unsigned gridDimY,         \
            unsigned gridDimZ, unsigned blockDimX, unsigned blockDimY,         \
            unsigned blockDimZ, unsigned sharedMemBytes, CUstream stream,      \
            void **parameters, void **extra))

struct driver {
#define DRIVER_MEMBER(name, parameters) CUresult(*name) parameters;
  DRIVER_FUNCTIONS(DRIVER_MEMBER)
#undef DRIVER_MEMBER
};

// Loads the driver and makes device 0 the current one; ends the program where
// it cannot.
void driver_open(struct driver *driver, CUdevice *device);

// Ends the program if the driver has refused `what`, with the error's name,
// code and text.
void driver_check(const struct driver *driver, CUresult result,
                  const char *what);

#endif // MIXATTN_EXAMPLES_CUDA_HOST_DRIVER_H
