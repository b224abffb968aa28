// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of kernels.
#include "State.h"

#include <cstring>

using namespace mixattn::emulator;

/// Copies the parameters to their offsets; false where they do not fit.
static bool copyParameters(const Kernel &kernel, void **parameters,
                           void **extra, std::vector<uint8_t> &bytes) {
  bytes.assign(kernel.parameterBytes, 0);
  if (extra) {
    const void *buffer = nullptr;
    size_t size = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
      if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
        buffer = extra[1];
      else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
        size = *static_cast<size_t *>(extra[1]);
      else
        return false;
    }
    if (!buffer || size < kernel.parameterBytes)
      return false;
    std::memcpy(bytes.data(), buffer, kernel.parameterBytes);
    return true;
  }
  if (!parameters)
    return kernel.parameters.empty();
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const KernelParameter &parameter = kernel.parameters[i];
    if (!parameters[i])
      return false;
    std::memcpy(bytes.data() + parameter.offset, parameters[i], parameter.size);
  }
  return true;
}

static bool isLaunchable(const State &state, const Function &function,
                         const LaunchDescription &launch) {
  const Kernel &kernel = *launch.kernel;
  unsigned long threads = 1, limit = 1;
  for (unsigned i = 0; i < 3; ++i) {
    threads *= launch.block[i];
    limit *= kernel.maxThreads[i];
    if (!launch.grid[i] || !launch.block[i] ||
        launch.grid[i] > (i ? 65535u : 2147483647u) ||
        launch.block[i] > (i == 2 ? 64u : 1024u))
      return false;
  }
  if (threads > 1024 || (limit && threads > limit) ||
      (kernel.requiredThreads[0] && kernel.requiredThreads != launch.block))
    return false;
  return launch.dynamicShared <= function.maxDynamicShared &&
         launch.dynamicShared + kernel.sharedBytes <= state.chip.sharedOptIn;
}

static CUresult run(const LaunchDescription &launch) {
  State &state = State::get();
  if (state.sticky)
    return state.sticky;
  try {
    state.device.launch(launch);
  } catch (const std::exception &failure) {
    state.sticky = CUDA_ERROR_LAUNCH_FAILED;
    return state.remember(state.sticky,
                          launch.kernel->name + ": " + failure.what());
  }
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config,
                                              CUfunction function,
                                              void **parameters, void **extra) {
  MIXATTN_CUDA_ENTER(check());
  auto *found = reinterpret_cast<Function *>(function);
  if (!config || !found)
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute &attribute = config->attrs[i];
    const auto &size = attribute.value.clusterDim;
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
        (size.x != 1 || size.y != 1 || size.z != 1))
      return state.remember(CUDA_ERROR_NOT_SUPPORTED,
                            "clusters of several blocks are not emulated");
  }
  LaunchDescription launch;
  launch.kernel = found->kernel;
  launch.grid = {config->gridDimX, config->gridDimY, config->gridDimZ};
  launch.block = {config->blockDimX, config->blockDimY, config->blockDimZ};
  launch.dynamicShared = config->sharedMemBytes;
  if (!isLaunchable(state, *found, launch) ||
      !copyParameters(*launch.kernel, parameters, extra, launch.parameters))
    return state.remember(CUDA_ERROR_INVALID_VALUE,
                          launch.kernel->name +
                              ": the launch is out of limits");
  return state.submit(config->hStream, [launch] { return run(launch); });
}

MIXATTN_CUDA_EXPORT CUresult
cuLaunchKernel(CUfunction function, unsigned int gridX, unsigned int gridY,
               unsigned int gridZ, unsigned int blockX, unsigned int blockY,
               unsigned int blockZ, unsigned int sharedBytes, CUstream stream,
               void **parameters, void **extra) {
  CUlaunchConfig config = {gridX,  gridY,       gridZ,  blockX,  blockY,
                           blockZ, sharedBytes, stream, nullptr, 0};
  return cuLaunchKernelEx(&config, function, parameters, extra);
}
