// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules, libraries and functions.
#include "State.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace mixattn::emulator;

/// The PTX to run: the image, or for a cubin or fat binary what the environment
/// names.
static CUresult readImage(State &state, const void *image, std::string &text) {
  static const unsigned char elf[] = {0x7f, 'E', 'L', 'F'},
                             fat[] = {0x50, 0xed, 0x55, 0xba};
  if (std::memcmp(image, elf, 4) && std::memcmp(image, fat, 4)) {
    text = static_cast<const char *>(image);
    return CUDA_SUCCESS;
  }
  const char *path = std::getenv("MIXATTN_CUDA_PTX");
  std::ifstream file(path ? path : "");
  if (!file)
    return state.remember(CUDA_ERROR_NO_BINARY_FOR_GPU,
                          "the module is machine code, and MIXATTN_CUDA_PTX "
                          "names no PTX in its place");
  std::stringstream buffer;
  buffer << file.rdbuf();
  text = buffer.str();
  return CUDA_SUCCESS;
}

/// Whether code for a target runs on the chip (PTX ISA, .target).
static bool runsOn(const std::string &target, const Chip &chip) {
  int number = std::atoi(target.c_str() + 3),
      own = chip.major * 10 + chip.minor;
  char last = target.back();
  if (last == 'a')
    return number == own;
  if (last == 'f')
    return number / 10 == own / 10 && number <= own;
  return number <= own;
}

static CUresult load(State &state, const void *image, LoadedModule *&result) {
  if (!image)
    return CUDA_ERROR_INVALID_VALUE;
  std::string text;
  if (CUresult error = readImage(state, image, text))
    return error;
  try {
    LoadedModule loaded;
    loaded.module = state.device.load(text);
    if (!runsOn(loaded.module.target, state.chip))
      return state.remember(CUDA_ERROR_NO_BINARY_FOR_GPU,
                            "a module for " + loaded.module.target +
                                " does not run on this chip");
    result = create(state.modules, std::move(loaded));
  } catch (const std::exception &failure) {
    return state.remember(CUDA_ERROR_INVALID_PTX, failure.what());
  }
  for (auto &[name, kernel] : result->module.kernels) {
    Function &function = result->functions[name];
    function.module = result;
    function.kernel = &kernel;
  }
  return CUDA_SUCCESS;
}

static CUresult unload(State &state, void *handle) {
  auto found = state.modules.find(static_cast<LoadedModule *>(handle));
  if (found == state.modules.end())
    return CUDA_ERROR_INVALID_HANDLE;
  state.device.unload(found->second->module);
  state.modules.erase(found);
  return CUDA_SUCCESS;
}

static CUresult find(State &state, void *handle, const char *name,
                     Function *&result) {
  auto found = state.modules.find(static_cast<LoadedModule *>(handle));
  if (found == state.modules.end())
    return CUDA_ERROR_INVALID_HANDLE;
  auto function = found->second->functions.find(name);
  if (function == found->second->functions.end())
    return CUDA_ERROR_NOT_FOUND;
  result = &function->second;
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuModuleLoadData(CUmodule *module,
                                              const void *image) {
  MIXATTN_CUDA_ENTER(checkNoCapture());
  LoadedModule *loaded = nullptr;
  CUresult error = load(state, image, loaded);
  *module = reinterpret_cast<CUmodule>(loaded);
  return error;
}

MIXATTN_CUDA_EXPORT CUresult cuModuleLoadDataEx(CUmodule *module,
                                                const void *image, unsigned int,
                                                int *, void **) {
  return cuModuleLoadData(module, image);
}

MIXATTN_CUDA_EXPORT CUresult cuModuleUnload(CUmodule module) {
  MIXATTN_CUDA_ENTER(checkNoCapture());
  return unload(state, module);
}

MIXATTN_CUDA_EXPORT CUresult cuModuleGetFunction(CUfunction *function,
                                                 CUmodule module,
                                                 const char *name) {
  MIXATTN_CUDA_ENTER(check());
  Function *found = nullptr;
  CUresult error = find(state, module, name, found);
  *function = reinterpret_cast<CUfunction>(found);
  return error;
}

MIXATTN_CUDA_EXPORT CUresult cuLibraryLoadData(CUlibrary *library,
                                               const void *code, int *, void **,
                                               unsigned int, int *, void **,
                                               unsigned int) {
  MIXATTN_CUDA_ENTER(check(false));
  LoadedModule *loaded = nullptr;
  CUresult error = load(state, code, loaded);
  *library = reinterpret_cast<CUlibrary>(loaded);
  return error;
}

MIXATTN_CUDA_EXPORT CUresult cuLibraryUnload(CUlibrary library) {
  MIXATTN_CUDA_ENTER(check(false));
  return unload(state, library);
}

MIXATTN_CUDA_EXPORT CUresult cuLibraryGetKernel(CUkernel *kernel,
                                                CUlibrary library,
                                                const char *name) {
  MIXATTN_CUDA_ENTER(check(false));
  Function *found = nullptr;
  CUresult error = find(state, library, name, found);
  *kernel = reinterpret_cast<CUkernel>(found);
  return error;
}

MIXATTN_CUDA_EXPORT CUresult cuKernelGetFunction(CUfunction *function,
                                                 CUkernel kernel) {
  MIXATTN_CUDA_ENTER(check());
  *function = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuFuncSetAttribute(CUfunction function,
                                                CUfunction_attribute attribute,
                                                int value) {
  MIXATTN_CUDA_ENTER(check());
  auto *found = reinterpret_cast<Function *>(function);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
    return value >= -1 && value <= 100 ? CUDA_SUCCESS
                                       : CUDA_ERROR_INVALID_VALUE;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    return CUDA_ERROR_INVALID_VALUE;
  // Static and dynamic memory together stay below the chip's limit.
  if (value < 0 || value + found->kernel->sharedBytes > state.chip.sharedOptIn)
    return CUDA_ERROR_INVALID_VALUE;
  found->maxDynamicShared = value;
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuKernelSetAttribute(
    CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice) {
  return cuFuncSetAttribute(reinterpret_cast<CUfunction>(kernel), attribute,
                            value);
}

MIXATTN_CUDA_EXPORT CUresult cuFuncGetAttribute(int *value,
                                                CUfunction_attribute attribute,
                                                CUfunction function) {
  MIXATTN_CUDA_ENTER(check());
  auto *found = reinterpret_cast<Function *>(function);
  if (!found || !value)
    return CUDA_ERROR_INVALID_VALUE;
  const Kernel &kernel = *found->kernel;
  unsigned threads =
      kernel.maxThreads[0] * kernel.maxThreads[1] * kernel.maxThreads[2];
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = threads ? threads : 1024;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = kernel.sharedBytes;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = found->maxDynamicShared;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    // Not known without machine code.
    *value = 255;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = 0;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}
