// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of errors and functions, and what only the emulator has.
#include "State.h"

#include <cstring>
#include <dlfcn.h>

using namespace mixattn::emulator;

namespace {
struct ErrorName {
  CUresult error;
  const char *name, *text;
};
} // namespace

static constexpr ErrorName errorNames[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED",
     "initialization error"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE",
     "invalid device ordinal"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE",
     "device kernel image is invalid"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT",
     "invalid device context"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX",
     "a PTX JIT compilation failed"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE",
     "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED",
     "unspecified launch failure"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED",
     "operation not supported"},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
     "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
     "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"}};

static const ErrorName *find(CUresult error) {
  for (const ErrorName &each : errorNames)
    if (each.error == error)
      return &each;
  return nullptr;
}

MIXATTN_CUDA_EXPORT CUresult cuGetErrorName(CUresult error, const char **name) {
  const ErrorName *found = find(error);
  *name = found ? found->name : nullptr;
  return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

MIXATTN_CUDA_EXPORT CUresult cuGetErrorString(CUresult error,
                                              const char **text) {
  const ErrorName *found = find(error);
  *text = found ? found->text : nullptr;
  return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

MIXATTN_CUDA_EXPORT CUresult cuGetProcAddress_v2(const char *symbol,
                                                 void **function, int, uint64_t,
                                                 int *status) {
  // The newest version of a function, in this library.
  Dl_info own;
  dladdr(reinterpret_cast<void *>(&cuGetProcAddress_v2), &own);
  void *library = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  std::string name = symbol;
  // Since CUDA 12 the name means the function with flags.
  if (name == "cuGraphInstantiate")
    name += "WithFlags";
  *function = library ? dlsym(library, (name + "_v2").c_str()) : nullptr;
  if (!*function && library)
    *function = dlsym(library, name.c_str());
  if (library)
    dlclose(library);
  // CU_GET_PROC_ADDRESS_SUCCESS, …_SYMBOL_NOT_FOUND
  if (status)
    *status = *function ? 0 : 1;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

MIXATTN_CUDA_EXPORT CUresult cuGetProcAddress(const char *symbol,
                                              void **function, int version,
                                              uint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

MIXATTN_CUDA_EXPORT const char *mixattnEmulatorMessage(void) {
  return State::get().message.c_str();
}

MIXATTN_CUDA_EXPORT const char *mixattnEmulatorCounters(int reset) {
  State &state = State::get();
  state.countersText = state.device.counters.toJson();
  if (reset)
    state.device.counters = {};
  return state.countersText.c_str();
}

MIXATTN_CUDA_EXPORT int mixattnEmulatorSet(const char *name,
                                           const char *value) {
  State &state = State::get();
  Options &options = state.device.options;
  std::string key = name, text = value;
  if (key == "seed")
    options.seed = std::strtoull(value, nullptr, 0);
  else if (key == "landing" && (text == "issue" || text == "wait"))
    options.landing = text == "issue" ? Landing::Issue : Landing::Wait;
  else if (key == "approximate" && (text == "0" || text == "1"))
    options.approximates = text == "1";
  else if (key == "equal_writes" && (text == "0" || text == "1"))
    options.allowsEqualWrites = text == "1";
  else if (key == "sms" && std::atoi(value) > 0)
    options.multiprocessors = std::atoi(value);
  else if (key == "ends" && std::atoi(value) >= 0)
    options.ends = std::atoi(value);
  else if (key != "chip" || !state.setChip(text))
    return 0;
  return 1;
}
