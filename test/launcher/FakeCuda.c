// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A libcuda.so.1 for tests of the launcher (FakeCuda.h).

#include "test/launcher/FakeCuda.h"

#include "lib/Runtime/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

// A module is a place in this list: the context it was loaded in, and its
// image. That has a line for each kernel, "NAME BYTES BYTES …", with the bytes
// of static shared memory, then of each parameter. A function is such a place
// with the line of one kernel.
struct loaded {
  struct fake_context *context;
  const char *text;
};
static struct loaded list[FAKE_FUNCTIONS];
static int listed;

static struct fake_cuda state;
static _Thread_local struct fake_context *current;

struct fake_cuda *fake_cuda_reset(void) {
  memset(&state, 0, sizeof state);
  state.version = 13000;
  state.capability = 80;
  state.multiprocessors = 78;
  state.shared = 166912;
  for (int i = 0; i < FAKE_CONTEXTS; ++i)
    state.contexts[i] =
        (struct fake_context){i < FAKE_DEVICES ? i : 0, 1000u + (unsigned)i};
  current = NULL;
  listed = 0;
  return &state;
}

void fake_cuda_use(struct fake_context *context) { current = context; }
struct fake_context *fake_cuda_used(void) { return current; }

static void count(int *counter) {
  __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
}

// 0, or how the function of that name fails.
static CUresult outcome(const char *name) {
  return state.failing && !strcmp(state.failing, name) ? state.error : 0;
}

// As `outcome`, of a function that must not be called under capture.
static CUresult forbidden_outcome(const char *name) {
  return state.is_capturing ? 900 : outcome(name);
}

// Long enough for other threads to come by.
static void wait_where_slow(void) {
  if (state.is_slow)
    thrd_sleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

// A new place in the list.
static struct loaded *add(const char *text) {
  int place = __atomic_fetch_add(&listed, 1, __ATOMIC_SEQ_CST);
  if (place >= FAKE_FUNCTIONS)
    abort();
  list[place] = (struct loaded){current, text};
  return &list[place];
}

CUresult cuInit(unsigned flags) {
  count(&state.inits);
  wait_where_slow();
  return flags ? 1 : outcome("cuInit");
}

CUresult cuDriverGetVersion(int *version) {
  *version = state.version;
  return outcome("cuDriverGetVersion");
}

static const struct {
  int number;
  const char *name, *text;
} errors[] = {
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"}};

CUresult cuGetErrorName(CUresult error, const char **text) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
    if (errors[i].number == error) {
      *text = errors[i].name;
      return 0;
    }
  *text = NULL;
  return 1;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
    if (errors[i].number == error) {
      *text = errors[i].text;
      return 0;
    }
  *text = NULL;
  return 1;
}

// Handles of devices are no ordinals here: 100 and more.
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  if (ordinal < 0 || ordinal >= FAKE_DEVICES)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = 100 + ordinal;
  return outcome("cuDeviceGet");
}

CUresult cuDeviceGetName(char *name, int bytes, CUdevice device) {
  snprintf(name, (size_t)bytes, "FAKE %d", device - 100);
  return 0;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = state.capability / 10;
    return outcome("cuDeviceGetAttribute");
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = state.capability % 10;
    return 0;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = state.multiprocessors;
    return 0;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = state.shared;
    return device >= 100 ? 0 : CUDA_ERROR_INVALID_DEVICE;
  default:
    return 1;
  }
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  count(&state.retains);
  wait_where_slow();
  *context = (CUcontext)&state.contexts[device - 100];
  return outcome("cuDevicePrimaryCtxRetain");
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = (CUcontext)current;
  return 0;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  count(&state.switches);
  current = (struct fake_context *)context;
  return outcome("cuCtxSetCurrent");
}

CUresult cuCtxGetDevice(CUdevice *device) {
  if (!current)
    return 201;
  *device = 100 + current->device;
  return 0;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
  *id = ((struct fake_context *)context)->id;
  return outcome("cuCtxGetId");
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  CUresult result = forbidden_outcome("cuModuleLoadData");
  count(&state.loads);
  state.image = image;
  wait_where_slow();
  *module = (CUmodule)add(image);
  return current ? result : 201;
}

CUresult cuModuleUnload(CUmodule module) {
  count(&state.unloads);
  return module ? 0 : 1;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  const char *line = ((struct loaded *)module)->text;
  for (; *line; line = strchr(line, '\n') + 1)
    if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ' ') {
      *function = (CUfunction)add(line);
      return forbidden_outcome("cuModuleGetFunction");
    }
  return 500;
}

CUresult cuFuncLoad(CUfunction function) {
  count(&state.function_loads);
  return function ? forbidden_outcome("cuFuncLoad") : 1;
}

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
  *value = atoi(strchr(((struct loaded *)function)->text, ' '));
  return attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES ? 0 : 1;
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  if (!function || attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    return 1;
  state.dynamic_shared = value;
  return outcome("cuFuncSetAttribute");
}

// The memory at an address; none for what the driver does not know.
static const struct fake_memory *find(CUdeviceptr pointer) {
  for (int i = 0; i < FAKE_MEMORIES; ++i)
    if (pointer - state.memories[i].begin < state.memories[i].bytes)
      return &state.memories[i];
  return NULL;
}

CUresult cuPointerGetAttribute(void *value, int attribute,
                               CUdeviceptr pointer) {
  const struct fake_memory *memory = find(pointer);
  if (!memory || attribute != CU_POINTER_ATTRIBUTE_IS_MANAGED)
    return 1;
  *(int *)value = memory->is_managed;
  return 0;
}

CUresult cuPointerGetAttributes(unsigned number, int *attributes, void **values,
                                CUdeviceptr pointer) {
  const struct fake_memory *memory = find(pointer);
  for (unsigned i = 0; i < number; ++i)
    if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
      *(unsigned *)values[i] = memory ? (unsigned)memory->type : 0;
    else if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
      *(int *)values[i] = memory ? memory->device : -2;
    else
      return 1;
  return 0;
}

CUresult cuStreamIsCapturing(CUstream stream, int *status) {
  *status = state.is_capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : 0;
  return stream ? 0 : outcome("cuStreamIsCapturing");
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, int dataType, uint32_t rank,
                                void *address, const uint64_t *dims,
                                const uint64_t *strides, const uint32_t *box,
                                const uint32_t *elementStrides, int interleave,
                                int swizzle, int promotion, int fill) {
  int number = __atomic_fetch_add(&state.map_count, 1, __ATOMIC_SEQ_CST);
  if ((uintptr_t)map % 64 || (int)rank == state.refused_rank)
    return 1;
  *(unsigned char *)map = (unsigned char)(0xA0 + number);
  if (number < FAKE_MAPS) {
    struct fake_map *made = &state.maps[number];
    *made = (struct fake_map){.type = dataType,
                              .rank = (int)rank,
                              .interleave = interleave,
                              .swizzle = swizzle,
                              .promotion = promotion,
                              .fill = fill,
                              .address = (uintptr_t)address};
    memcpy(made->dims, dims, rank * sizeof *dims);
    memcpy(made->strides, strides, (rank - 1) * sizeof *strides);
    memcpy(made->box, box, rank * sizeof *box);
    memcpy(made->element_strides, elementStrides, rank * sizeof *box);
  }
  return outcome("cuTensorMapEncodeTiled");
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **parameters, void **extra) {
  int number = __atomic_fetch_add(&state.launch_count, 1, __ATOMIC_SEQ_CST);
  const struct loaded *loaded = (const struct loaded *)function;
  if (extra || !current || loaded->context != current)
    return 1;
  if (number >= FAKE_LAUNCHES)
    return 0;
  struct fake_launch *made = &state.launches[number];
  const char *line = loaded->text;
  snprintf(made->kernel, sizeof made->kernel, "%.*s", (int)strcspn(line, " "),
           line);
  memcpy(made->grid, &config->gridDimX, sizeof made->grid);
  memcpy(made->block, &config->blockDimX, sizeof made->block);
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      memcpy(made->cluster, &config->attrs[i].value, sizeof made->cluster);
  made->shared = config->sharedMemBytes;
  made->stream = config->hStream;
  made->context = current;
  // After the name and the static shared memory.
  char *bytes = strchr(strchr(line, ' ') + 1, ' ');
  for (int i = 0; bytes && *bytes == ' '; ++i)
    memcpy(made->parameters[i], parameters[i],
           (size_t)strtol(bytes, &bytes, 10));
  return outcome("cuLaunchKernel");
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned shared, CUstream stream,
                        void **parameters, void **extra) {
  CUlaunchConfig config = {gridX,  gridY,  gridZ,  blockX, blockY,
                           blockZ, shared, stream, NULL,   0};
  return cuLaunchKernelEx(&config, function, parameters, extra);
}

// Functions that the launcher must never call.
#define FORBIDDEN(name)                                                        \
  CUresult name(void) {                                                        \
    count(&state.forbidden);                                                   \
    return 1;                                                                  \
  }
FORBIDDEN(cuMemAlloc_v2)
FORBIDDEN(cuMemAllocAsync)
FORBIDDEN(cuMemFree_v2)
FORBIDDEN(cuCtxSynchronize)
FORBIDDEN(cuStreamSynchronize)
FORBIDDEN(cuEventSynchronize)
