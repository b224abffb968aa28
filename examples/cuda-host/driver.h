// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of CUDA's driver API that this program calls, typed from its
// documentation: nothing is included from CUDA, and nothing linked with it.
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

enum { CUDA_SUCCESS = 0 };

// A CUfunction_attribute: dynamic shared memory above 48 KiB is asked for.
enum { CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8 };

// FUNCTION(name, (parameters)) of each; all return a CUresult.
#define DRIVER_FUNCTIONS(FUNCTION)                                             \
  FUNCTION(cuInit, (unsigned flags))                                           \
  FUNCTION(cuGetErrorName, (CUresult error, const char **text))                \
  FUNCTION(cuDeviceGet, (CUdevice * device, int ordinal))                      \
  FUNCTION(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))   \
  FUNCTION(cuDevicePrimaryCtxRelease_v2, (CUdevice device))                    \
  FUNCTION(cuCtxSetCurrent, (CUcontext context))                               \
  FUNCTION(cuCtxSynchronize, (void))                                           \
  FUNCTION(cuModuleLoadData, (CUmodule * module, const void *image))           \
  FUNCTION(cuModuleUnload, (CUmodule module))                                  \
  FUNCTION(cuModuleGetFunction,                                                \
           (CUfunction * function, CUmodule module, const char *name))         \
  FUNCTION(cuFuncSetAttribute,                                                 \
           (CUfunction function, int attribute, int value))                    \
  FUNCTION(cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes))               \
  FUNCTION(cuMemFree_v2, (CUdeviceptr address))                                \
  FUNCTION(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t bytes))  \
  FUNCTION(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t bytes))        \
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

// Ends the program if the driver has refused `what`.
void driver_check(const struct driver *driver, CUresult result,
                  const char *what);

#endif // MIXATTN_EXAMPLES_CUDA_HOST_DRIVER_H
