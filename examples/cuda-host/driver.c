// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the driver, its functions, and a device.
#include "driver.h"

#include "fail.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// A function of the driver: its name and its place in the struct.
struct function {
  const char *name;
  size_t place;
};

#define DRIVER_FUNCTION(name, parameters)                                      \
  {#name, offsetof(struct driver, name)},
static const struct function functions[] = {DRIVER_FUNCTIONS(DRIVER_FUNCTION)};
#undef DRIVER_FUNCTION

// Advice on an error that is not the program's own.
static const char *advice_on(CUresult result) {
  switch (result) {
  case CUDA_ERROR_OUT_OF_MEMORY:
    return "; smaller dims take less memory";
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
    return "; compile for this GPU, or give the PTX of an earlier one";
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    return "; give a cubin, which needs no later driver";
  // These end the context: all that comes later in it fails, too.
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_FAILED:
    return "; start again in another process";
  default:
    return "";
  }
}

void driver_check(const struct driver *driver, CUresult result,
                  const char *what) {
  if (result == CUDA_SUCCESS)
    return;
  // A driver that does not know the error leaves both NULL.
  const char *name = NULL, *text = NULL;
  driver->cuGetErrorName(result, &name);
  driver->cuGetErrorString(result, &text);
  fail("the driver refused %s: %s (%d), %s%s", what,
       name ? name : "unknown error", result, text ? text : "without a text",
       advice_on(result));
}

void driver_open(struct driver *driver, CUdevice *device) {
  // A test names another library.
  const char *path = getenv("MIXATTN_LIBCUDA");
  if (!path || !*path)
    path = "libcuda.so.1";
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail("there is no CUDA driver: %s cannot be loaded (%s)", path, dlerror());
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    void *function = dlsym(library, functions[i].name);
    if (!function)
      fail("expected a CUDA driver, but %s has no function %s", path,
           functions[i].name);
    memcpy((char *)driver + functions[i].place, &function, sizeof function);
  }
  CUcontext context;
  driver_check(driver, driver->cuInit(0), "to start");
  driver_check(driver, driver->cuDeviceGet(device, 0), "device 0");
  driver_check(driver, driver->cuDevicePrimaryCtxRetain(&context, *device),
               "a context");
  driver_check(driver, driver->cuCtxSetCurrent(context), "a context");
}
