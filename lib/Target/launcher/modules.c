// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The artifact's code in a CUDA context: loaded once, and never unloaded, since
// kernels may run when a call is over.

#include "lib/Target/launcher/launcher.h"

#include <pthread.h>
#include <stdio.h>

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

// Writes the names of the targets: "sm_80, sm_90a".
static void list_targets(const struct mixattn_library *library, char *text,
                         size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int64_t i = 0; i < library->target_count && used < size; ++i) {
    int written = snprintf(text + used, size - used, "%s%s", i ? ", " : "",
                           library->targets[i].name);
    used += written > 0 ? (size_t)written : 0;
  }
}

// The compute capability of the device: 10 x major + minor.
static CUresult find_capability(const struct mixattn_request *request,
                                int *capability) {
  const struct mixattn_driver *driver = request->driver;
  int major = 0, minor = 0;
  CUresult result = driver->cuDeviceGetAttribute(
      &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, request->handle);
  if (result == CUDA_SUCCESS)
    result = driver->cuDeviceGetAttribute(
        &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, request->handle);
  *capability = 10 * major + minor;
  return result;
}

// Nothing of the artifact runs on the device; `error` is the driver's, or 0.
static int32_t fail_to_fit(const struct mixattn_request *request,
                           CUresult error) {
  char targets[256], name[128] = "";
  int capability;
  list_targets(request->library, targets, sizeof targets);
  find_capability(request, &capability);
  request->driver->cuDeviceGetName(name, (int)sizeof name, request->handle);
  static const char format[] = "no code of this artifact (%s) runs on CUDA "
                               "device %d, %s, which is sm_%d";
  if (error == CUDA_SUCCESS)
    return mixattn_fail(request, MIXATTN_ERROR_MACHINE, format, targets,
                        request->device, name, capability);
  return mixattn_fail_driver(request, MIXATTN_ERROR_MACHINE, error, format,
                             targets, request->device, name, capability);
}

static int32_t fail_to_load(const struct mixattn_request *request,
                            CUresult result, const char *what) {
  if (is_no_code(result))
    return fail_to_fit(request, result);
  return mixattn_fail_driver(request, MIXATTN_ERROR_LAUNCH, result,
                             "the driver refused to load %s", what);
}

// Whether code for `target` runs on a device of that compute capability.
static bool runs_on(const struct mixattn_target_row *target, int capability) {
  if (target->capability >= capability)
    return target->capability == capability;
  if (target->capability / 10 == capability / 10)
    return target->reach != MIXATTN_REACH_ITS_OWN;
  return target->reach == MIXATTN_REACH_LATER;
}

// Finds the target whose code runs on the device, of several the latest: PTX is
// of an earlier major number than machine code. Asks for its multiprocessors,
// too.
static int32_t find_target(const struct mixattn_request *request,
                           int64_t *target, int64_t *multiprocessors) {
  const struct mixattn_library *library = request->library;
  int capability, count = 0, latest = 0;
  CUresult result = find_capability(request, &capability);
  if (result == CUDA_SUCCESS)
    result = request->driver->cuDeviceGetAttribute(
        &count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, request->handle);
  if (result != CUDA_SUCCESS)
    return mixattn_fail_driver(request, MIXATTN_ERROR_LAUNCH, result,
                               "the driver refused to tell what CUDA device "
                               "%d is",
                               request->device);
  *multiprocessors = count;
  for (int64_t i = 0; i < library->target_count; ++i) {
    const struct mixattn_target_row *row = &library->targets[i];
    if (row->capability <= latest || !runs_on(row, capability))
      continue;
    latest = row->capability;
    *target = i;
  }
  return latest ? 0 : fail_to_fit(request, CUDA_SUCCESS);
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

// Loads the code of a target into the context. Writes what the library keeps of
// it at `place`: the number of the target, and a kernel for each of its
// launches.
static int32_t load_module(const struct mixattn_request *request,
                           int64_t place) {
  const struct mixattn_library *library = request->library;
  const struct mixattn_driver *driver = request->driver;
  int64_t *target = &library->context_targets[place];
  struct mixattn_kernel_state *kernels =
      library->kernels + place * library->launch_count;
  int32_t code = check_stream(request);
  if (!code)
    code =
        find_target(request, target, &library->context_multiprocessors[place]);
  if (code)
    return code;
  const struct mixattn_target_row *row = &library->targets[*target];
  CUmodule module = NULL;
  CUresult result = driver->cuModuleLoadData(&module, row->image);
  if (result != CUDA_SUCCESS)
    return fail_to_load(request, result, "this artifact's code");
  int64_t end = row->launches.first + row->launches.count;
  for (int64_t i = row->launches.first; i < end; ++i) {
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
      code = load_module(request, place);
    if (!is_loaded && !code)
      __atomic_store_n(&library->contexts[place], key, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&module_lock);
  }
  if (code)
    return code;
  request->target = library->context_targets[place];
  request->multiprocessors = library->context_multiprocessors[place];
  request->kernels = library->kernels + place * library->launch_count;
  return 0;
}
