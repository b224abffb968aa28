// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The artifact's code in a CUDA context: loaded once, and never unloaded, since
// kernels may run when a call is over.

#include "lib/Target/launcher/launcher.h"

#include <pthread.h>

// Held while code is loaded.
static pthread_mutex_t module_lock = PTHREAD_MUTEX_INITIALIZER;

// A number, other than 0, that no other context of the process has. A handle
// may come back when its context is destroyed; newer drivers have a number.
static uint64_t key_of(const struct mixattn_request *request) {
  const struct mixattn_driver *driver = request->driver;
  unsigned long long id = 0;
  if (driver->cuCtxGetId &&
      driver->cuCtxGetId(request->context, &id) == CUDA_SUCCESS)
    return id + 1;
  return (uint64_t)(uintptr_t)request->context;
}

// The place of the context `key` in the table, or the first that is free, or
// MIXATTN_MOST_CONTEXTS.
static int64_t find(const struct mixattn_library *library, uint64_t key,
                    bool *is_loaded) {
  int64_t place = 0;
  *is_loaded = false;
  for (; place < MIXATTN_MOST_CONTEXTS; ++place) {
    uint64_t other =
        __atomic_load_n(&library->contexts[place], __ATOMIC_ACQUIRE);
    *is_loaded = other == key;
    if (*is_loaded || other == 0)
      break;
  }
  return place;
}

// The driver says that the image has nothing for the device, or nothing that
// it can compile for it.
static bool is_no_code(CUresult result) {
  return result == CUDA_ERROR_INVALID_IMAGE ||
         result == CUDA_ERROR_NO_BINARY_FOR_GPU ||
         result == CUDA_ERROR_INVALID_PTX ||
         result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND ||
         result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
         result == CUDA_ERROR_JIT_COMPILATION_DISABLED;
}

static int32_t fail_to_load(const struct mixattn_request *request,
                            CUresult result, const char *what) {
  const struct mixattn_driver *driver = request->driver;
  const char *targets = request->library->targets;
  if (!is_no_code(result))
    return mixattn_fail_driver(request, MIXATTN_ERROR_LAUNCH, result,
                               "the driver refused to load %s", what);
  char name[128] = "";
  int major = 0, minor = 0;
  driver->cuDeviceGetName(name, (int)sizeof name, request->handle);
  driver->cuDeviceGetAttribute(
      &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, request->handle);
  driver->cuDeviceGetAttribute(
      &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, request->handle);
  return mixattn_fail_driver(
      request, MIXATTN_ERROR_MACHINE, result,
      "no code of this artifact (%s) runs on CUDA device %d, %s, which is "
      "sm_%d%d",
      targets, request->device, name, major, minor);
}

// The kernel of `launch`. One with dynamic shared memory may take all that a
// block can have on the device; 48 KiB is the limit else.
static CUresult load_kernel(const struct mixattn_request *request,
                            const struct mixattn_launch_row *launch,
                            CUmodule module,
                            struct mixattn_kernel_state *kernel) {
  const struct mixattn_driver *driver = request->driver;
  CUfunction function = NULL;
  CUresult result =
      driver->cuModuleGetFunction(&function, module, launch->kernel);
  // Drivers load kernels when they are launched first: not under capture.
  if (result == CUDA_SUCCESS && driver->cuFuncLoad)
    result = driver->cuFuncLoad(function);
  int most = 0, fixed = 0;
  if (launch->shared.count) {
    if (result == CUDA_SUCCESS)
      result = driver->cuDeviceGetAttribute(
          &most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
          request->handle);
    if (result == CUDA_SUCCESS)
      result = driver->cuFuncGetAttribute(
          &fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
    if (result == CUDA_SUCCESS)
      result = driver->cuFuncSetAttribute(
          function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
          most - fixed);
  }
  *kernel = (struct mixattn_kernel_state){function, most - fixed};
  return result;
}

// Under capture the driver would refuse with less to go by.
static int32_t check_stream(const struct mixattn_request *request) {
  int status = 0;
  if (!request->entry ||
      request->driver->cuStreamIsCapturing((CUstream)request->call.stream,
                                           &status) != CUDA_SUCCESS ||
      status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return 0;
  return mixattn_fail(request, MIXATTN_ERROR_LAUNCH,
                      "expected a call of mixattn_prepare_%s before a call "
                      "whose stream is captured",
                      request->entry->name);
}

// Loads the code into the context and writes `kernels`, one for each launch.
static int32_t load_module(const struct mixattn_request *request,
                           struct mixattn_kernel_state *kernels) {
  const struct mixattn_library *library = request->library;
  const struct mixattn_driver *driver = request->driver;
  int32_t code = check_stream(request);
  if (code)
    return code;
  CUmodule module = NULL;
  CUresult result = driver->cuModuleLoadData(&module, library->image);
  if (result != CUDA_SUCCESS)
    return fail_to_load(request, result, "this artifact's code");
  for (int64_t i = 0; i < library->launch_count; ++i) {
    result = load_kernel(request, &library->launches[i], module, &kernels[i]);
    if (result == CUDA_SUCCESS)
      continue;
    driver->cuModuleUnload(module);
    return fail_to_load(request, result, library->launches[i].kernel);
  }
  return 0;
}

int32_t mixattn_load(struct mixattn_request *request) {
  const struct mixattn_library *library = request->library;
  uint64_t key = key_of(request);
  bool is_loaded;
  int32_t code = 0;
  int64_t place = find(library, key, &is_loaded);
  if (!is_loaded) {
    pthread_mutex_lock(&module_lock);
    place = find(library, key, &is_loaded);
    if (!is_loaded && place == MIXATTN_MOST_CONTEXTS)
      code = mixattn_fail(request, MIXATTN_ERROR_MEMORY,
                          "expected at most %d CUDA contexts in the life of a "
                          "process, but got another",
                          MIXATTN_MOST_CONTEXTS);
    else if (!is_loaded)
      code = load_module(request,
                         library->kernels + place * library->launch_count);
    if (!is_loaded && !code)
      __atomic_store_n(&library->contexts[place], key, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&module_lock);
  }
  request->kernels = library->kernels + place * library->launch_count;
  return code;
}
