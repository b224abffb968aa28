// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's driver, which is found when an entry is called first: its functions,
// its contexts, and what it knows of an address.

#include "lib/Target/launcher/launcher.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The one driver of a process, valid once `is_open`. What fails is tried again
// at the next call.
static struct mixattn_driver driver;
static atomic_bool is_open;

// The primary contexts that the launcher holds, NULL until a device is used
// first. They are never given back: kernels may run when a call is over.
enum { MOST_DEVICES = 64 };
static _Atomic(CUcontext) primaries[MOST_DEVICES];

// Held while one of these is made.
static pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER;

// A function of the driver: its name and its place in the struct.
struct function {
  const char *name;
  size_t place;
  bool is_in_all;
};

#define EARLY(name, parameters)                                                \
  {#name, offsetof(struct mixattn_driver, name), true},
#define LATER(name, parameters)                                                \
  {#name, offsetof(struct mixattn_driver, name), false},
static const struct function functions[] = {
    MIXATTN_CUDA_DEVICE_FUNCTIONS(EARLY) MIXATTN_CUDA_LAUNCH_FUNCTIONS(EARLY)
        MIXATTN_CUDA_LATER_FUNCTIONS(LATER)};
#undef EARLY
#undef LATER

// Reads the driver's functions from `library`, and makes it ready.
static int32_t read_driver(struct mixattn_request *request, void *library,
                           const char *path) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    void *function = dlsym(library, functions[i].name);
    if (!function && functions[i].is_in_all)
      return mixattn_fail(request, MIXATTN_ERROR_DRIVER,
                          "expected a CUDA driver, but %s has no function %s",
                          path, functions[i].name);
    memcpy((char *)&driver + functions[i].place, &function, sizeof function);
  }
  request->driver = &driver;
  CUresult result = driver.cuInit(0);
  if (result == CUDA_SUCCESS)
    result = driver.cuDriverGetVersion(&driver.version);
  if (result != CUDA_SUCCESS)
    return mixattn_fail_driver(request, MIXATTN_ERROR_DRIVER, result,
                               "the CUDA driver cannot be used");
  return 0;
}

static int32_t load_driver(struct mixattn_request *request) {
  // Tests load another library.
  const char *path = getenv("MIXATTN_LIBCUDA");
  if (!path || !*path)
    path = "libcuda.so.1";
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return mixattn_fail(request, MIXATTN_ERROR_DRIVER,
                        "there is no CUDA driver: %s cannot be loaded (%s)",
                        path, dlerror());
  int32_t code = read_driver(request, library, path);
  if (code)
    dlclose(library);
  return code;
}

int32_t mixattn_open_driver(struct mixattn_request *request) {
  if (!atomic_load_explicit(&is_open, memory_order_acquire)) {
    int32_t code = 0;
    pthread_mutex_lock(&driver_lock);
    if (!is_open)
      code = load_driver(request);
    if (!code)
      atomic_store_explicit(&is_open, true, memory_order_release);
    pthread_mutex_unlock(&driver_lock);
    if (code)
      return code;
  }
  request->driver = &driver;
  int64_t least = request->library->least_driver;
  if (driver.version < least)
    return mixattn_fail(request, MIXATTN_ERROR_DRIVER,
                        "expected a CUDA driver of version %d.%d or later, but "
                        "this one is %d.%d",
                        (int)(least / 1000), (int)(least % 1000 / 10),
                        driver.version / 1000, driver.version % 1000 / 10);
  return 0;
}

// The primary context of the device, which it has in common with the CUDA
// runtime.
static CUresult hold_primary(int32_t device, CUdevice handle,
                             CUcontext *context) {
  if (device < 0 || device >= MOST_DEVICES)
    return CUDA_ERROR_INVALID_DEVICE;
  _Atomic(CUcontext) *primary = &primaries[device];
  *context = atomic_load_explicit(primary, memory_order_acquire);
  if (*context)
    return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  pthread_mutex_lock(&driver_lock);
  *context = *primary;
  if (!*context)
    result = driver.cuDevicePrimaryCtxRetain(context, handle);
  if (result == CUDA_SUCCESS)
    atomic_store_explicit(primary, *context, memory_order_release);
  pthread_mutex_unlock(&driver_lock);
  return result;
}

int32_t mixattn_enter(struct mixattn_request *request) {
  CUresult result = driver.cuDeviceGet(&request->handle, request->device);
  if (result == CUDA_SUCCESS)
    result = driver.cuCtxGetCurrent(&request->previous);
  CUdevice current = -1;
  if (result == CUDA_SUCCESS && request->previous &&
      driver.cuCtxGetDevice(&current) == CUDA_SUCCESS &&
      current == request->handle) {
    request->context = request->previous;
    return 0;
  }
  if (result == CUDA_SUCCESS)
    result = hold_primary(request->device, request->handle, &request->context);
  if (result == CUDA_SUCCESS)
    result = driver.cuCtxSetCurrent(request->context);
  if (result != CUDA_SUCCESS)
    return mixattn_fail_driver(request, MIXATTN_ERROR_LAUNCH, result,
                               "the driver refused CUDA device %d",
                               request->device);
  return 0;
}

void mixattn_leave(const struct mixattn_request *request) {
  if (request->context != request->previous)
    driver.cuCtxSetCurrent(request->previous);
}

// Room for "memory of CUDA device N".
struct place {
  char text[40];
};

// Whether a kernel on the device may use what is at `address`; else what that
// is.
static bool is_on_device(const struct mixattn_request *request,
                         uint64_t address, struct place *place) {
  // An address that the driver does not know leaves zeros.
  unsigned type = 0;
  int device = 0, is_managed = 0;
  int attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void *values[] = {&type, &device};
  bool is_known = driver.cuPointerGetAttributes(2, attributes, values,
                                                address) == CUDA_SUCCESS;
  bool is_device = is_known && type == CU_MEMORYTYPE_DEVICE;
  if (is_device && device == request->device)
    return true;
  // Managed memory is wherever it was used last.
  if (is_known && type != 0 &&
      driver.cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                   address) == CUDA_SUCCESS &&
      is_managed)
    return true;
  if (is_device)
    snprintf(place->text, sizeof place->text, "memory of CUDA device %d",
             device);
  else
    snprintf(place->text, sizeof place->text, "host memory");
  return false;
}

int32_t mixattn_check_pointers(const struct mixattn_request *request) {
  struct place place;
  for (int64_t i = 0; i < request->entry->tensor_count; ++i)
    if (!mixattn_is_empty(request, i) &&
        !is_on_device(request, mixattn_address_of(request, i), &place))
      return mixattn_fail_tensor(request, i,
                                 "expected memory of CUDA device %d, but got "
                                 "%s",
                                 request->device, place.text);
  uint64_t workspace = (uint64_t)(uintptr_t)request->call.workspace;
  if (request->workspace_bytes > 0 && !is_on_device(request, workspace, &place))
    return mixattn_fail(request, MIXATTN_ERROR_WORKSPACE,
                        "expected a workspace in memory of CUDA device %d, but "
                        "got %s",
                        request->device, place.text);
  uint64_t status = (uint64_t)(uintptr_t)request->call.status;
  if (status && !is_on_device(request, status, &place))
    return mixattn_fail(request, MIXATTN_ERROR_CALL,
                        "expected a status word in memory of CUDA device %d, "
                        "but got %s",
                        request->device, place.text);
  return 0;
}
