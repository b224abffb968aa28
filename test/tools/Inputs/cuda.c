// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A libcuda.so.1 whose kernels are C functions below and whose memory is the
// host's, for tests of mixattn-run. Work is done at once, and a kernel takes a
// millisecond of a clock of its own. Of the environment:
//
//   FAKE_FAILS=NAME=ERROR   that function returns that CUresult
//   FAKE_DEVICES=COUNT      how many devices there are; 2 without it
//   FAKE_LIMIT=BYTES        the most that an allocation may take
//   FAKE_LOG=1              tells of launches and of waits, on standard error

#include "lib/Runtime/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int number_from(const char *variable, int otherwise) {
  const char *text = getenv(variable);
  return text ? atoi(text) : otherwise;
}

// The result that the function of that name is to return.
static CUresult outcome(const char *name) {
  const char *fails = getenv("FAKE_FAILS");
  size_t length = strlen(name);
  if (!fails || strncmp(fails, name, length) || fails[length] != '=')
    return CUDA_SUCCESS;
  return atoi(fails + length + 1);
}
#define OUTCOME outcome(__func__)

static void tell(const char *what) {
  if (getenv("FAKE_LOG"))
    fprintf(stderr, "cuda: %s\n", what);
}

// y = 2 x, by way of the workspace.
static void stage(float *x, float *workspace, int n) {
  memcpy(workspace, x, (size_t)n * sizeof *x);
}
static void twice(float *workspace, float *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = 2 * workspace[i];
}

// Each row of o [N, 4] is the row v.
static void repeat(float *v, float *o, int n) {
  for (int i = 0; i < 4 * n; ++i)
    o[i] = v[i % 4];
}

// y = x, and x[0] says what goes wrong.
static void stray(float *x, float *y, int n, uint32_t *status) {
  int fault = (int)x[0];
  // The first element stays what it was.
  int first = fault == 4 ? 1 : 0;
  memcpy(y + first, x + first, (size_t)(n - first) * sizeof *x);
  if (fault == 1)
    y[-2] = 1;
  if (fault == 2)
    y[n] = 1;
  if (fault == 3)
    x[1] = 7;
  if (fault == 5)
    *status = 2;
  if (fault == 6)
    *status = 77;
}

static const char *const kernels[] = {"stage", "twice", "repeat", "stray",
                                      NULL};

static char context, stream, module;
static CUdevice current = -1;
static int devices(void) { return number_from("FAKE_DEVICES", 2); }

CUresult cuDriverGetVersion(int *version) {
  *version = 13000;
  return OUTCOME;
}
CUresult cuInit(unsigned flags) {
  (void)flags;
  return devices() < 0 ? CUDA_ERROR_NO_DEVICE : OUTCOME;
}

static const struct {
  CUresult error;
  const char *name, *text;
} errors[] = {
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system has unsupported display driver / cuda driver combination"}};

static CUresult text_of(CUresult error, const char **text, int is_name) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
    if (errors[i].error == error) {
      *text = is_name ? errors[i].name : errors[i].text;
      return CUDA_SUCCESS;
    }
  return 1;
}
CUresult cuGetErrorName(CUresult error, const char **text) {
  return text_of(error, text, 1);
}
CUresult cuGetErrorString(CUresult error, const char **text) {
  return text_of(error, text, 0);
}

CUresult cuDeviceGetCount(int *count) {
  *count = devices();
  return OUTCOME;
}
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return ordinal < devices() ? OUTCOME : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetName(char *name, int bytes, CUdevice device) {
  snprintf(name, (size_t)bytes, "FAKE %d", device);
  return OUTCOME;
}
CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  (void)device;
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 8 : 0;
  return OUTCOME;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *made, CUdevice device) {
  current = device;
  *made = (CUcontext)&context;
  return OUTCOME;
}
CUresult cuCtxGetCurrent(CUcontext *held) {
  *held = current < 0 ? NULL : (CUcontext)&context;
  return OUTCOME;
}
CUresult cuCtxSetCurrent(CUcontext given) {
  return given == (CUcontext)&context ? OUTCOME : 201;
}
CUresult cuCtxGetDevice(CUdevice *device) {
  *device = current;
  return OUTCOME;
}

CUresult cuModuleLoadData(CUmodule *made, const void *image) {
  (void)image;
  tell("load");
  *made = (CUmodule)&module;
  return OUTCOME;
}
CUresult cuModuleUnload(CUmodule given) {
  return given == (CUmodule)&module ? OUTCOME : 400;
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule given,
                             const char *name) {
  for (int i = 0; given == (CUmodule)&module && kernels[i]; ++i)
    if (!strcmp(kernels[i], name)) {
      *function = (CUfunction)&kernels[i];
      return OUTCOME;
    }
  return 500;
}
CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
  (void)attribute, (void)function;
  *value = 0;
  return OUTCOME;
}
CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  (void)function, (void)attribute, (void)value;
  return OUTCOME;
}
CUresult cuPointerGetAttribute(void *value, int attribute, CUdeviceptr at) {
  (void)value, (void)attribute, (void)at;
  return 1;
}
CUresult cuPointerGetAttributes(unsigned count, int *attributes, void **values,
                                CUdeviceptr at) {
  (void)at;
  for (unsigned i = 0; i < count; ++i)
    *(int *)values[i] = attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
                            ? current
                            : CU_MEMORYTYPE_DEVICE;
  return OUTCOME;
}

// Milliseconds.
static int clock_now;

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned shared, CUstream on,
                        void **parameters, void **extra) {
  (void)gridX, (void)gridY, (void)gridZ, (void)blockX, (void)blockY;
  (void)blockZ, (void)shared, (void)extra;
  const char *name = *(const char *const *)function;
  float *first = *(float **)parameters[0], *second = *(float **)parameters[1];
  int n = *(int *)parameters[2];
  if (on != (CUstream)&stream)
    return 400;
  tell(name);
  ++clock_now;
  if (!strcmp(name, "stage"))
    stage(first, second, n);
  else if (!strcmp(name, "twice"))
    twice(first, second, n);
  else if (!strcmp(name, "repeat"))
    repeat(first, second, n);
  else
    stray(first, second, n, *(uint32_t **)parameters[3]);
  return OUTCOME;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  if (bytes > (size_t)number_from("FAKE_LIMIT", 1 << 30))
    return 2;
  // Nothing that a test would take for a result, or for zeros.
  void *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
  memset(memory, 0x55, bytes);
  *address = (CUdeviceptr)memory;
  return bytes ? OUTCOME : 1;
}
CUresult cuMemFree_v2(CUdeviceptr address) {
  free((void *)address);
  return OUTCOME;
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                              CUstream on) {
  memcpy((void *)to, from, bytes);
  return on == (CUstream)&stream ? OUTCOME : 400;
}
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                              CUstream on) {
  memcpy(to, (void *)from, bytes);
  return on == (CUstream)&stream ? OUTCOME : 400;
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes,
                         CUstream on) {
  memset((void *)to, value, bytes);
  return on == (CUstream)&stream ? OUTCOME : 400;
}

CUresult cuStreamCreate(CUstream *made, unsigned flags) {
  *made = (CUstream)&stream;
  return flags == CU_STREAM_NON_BLOCKING ? OUTCOME : 1;
}
CUresult cuStreamDestroy_v2(CUstream given) {
  return given == (CUstream)&stream ? OUTCOME : 400;
}
// Errors of kernels are told here.
CUresult cuStreamSynchronize(CUstream given) {
  tell("wait");
  return given != (CUstream)&stream ? 400 : clock_now ? OUTCOME : CUDA_SUCCESS;
}
CUresult cuStreamIsCapturing(CUstream given, int *status) {
  (void)given;
  *status = 0;
  return OUTCOME;
}

// An event is the time that it was recorded at.
CUresult cuEventCreate(CUevent *event, unsigned flags) {
  *event = calloc(1, sizeof(int));
  return flags ? 1 : OUTCOME;
}
CUresult cuEventDestroy_v2(CUevent event) {
  free(event);
  return OUTCOME;
}
CUresult cuEventRecord(CUevent event, CUstream on) {
  *(int *)event = clock_now;
  return on == (CUstream)&stream ? OUTCOME : 400;
}
CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end) {
  *milliseconds = (float)(*(int *)end - *(int *)begin);
  return OUTCOME;
}
