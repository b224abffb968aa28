// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds CUDA's driver; the sentences are those of an artifact's launcher.
#include "lib/Runtime/CudaDriver.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace mixattn;

Result<CudaDriver> CudaDriver::open() {
  const char *path = std::getenv("MIXATTN_LIBCUDA");
  if (!path || !*path)
    path = "libcuda.so.1";
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return makeError("there is no CUDA driver: {} cannot be loaded ({})", path,
                     dlerror());
  CudaDriver driver;
  std::string missing;
  auto find = [&](auto &function, const char *name) {
    void *symbol = dlsym(library, name);
    if (!symbol && missing.empty())
      missing = name;
    function = reinterpret_cast<std::decay_t<decltype(function)>>(symbol);
  };
#define MIXATTN_FIND(name, parameters) find(driver.name, #name);
  MIXATTN_CUDA_DEVICE_FUNCTIONS(MIXATTN_FIND)
  MIXATTN_CUDA_MEMORY_FUNCTIONS(MIXATTN_FIND)
#undef MIXATTN_FIND
  if (!missing.empty())
    return makeError("expected a CUDA driver, but {} has no function {}", path,
                     missing);
  CUresult ready = driver.cuInit(0);
  if (ready == CUDA_ERROR_NO_DEVICE)
    return makeError("there is no CUDA device");
  if (ready != CUDA_SUCCESS)
    return makeError("the CUDA driver cannot be used: {}",
                     driver.describe(ready));
  return driver;
}

std::string CudaDriver::describe(CUresult error) const {
  const char *name = nullptr, *text = nullptr;
  std::string sentence = "CUDA error " + std::to_string(error);
  if (cuGetErrorName(error, &name) == CUDA_SUCCESS && name)
    sentence = name;
  if (cuGetErrorString(error, &text) == CUDA_SUCCESS && text)
    sentence += std::string(": ") + text;
  return sentence;
}
