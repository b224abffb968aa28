// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the device that suits an artifact.
#include "lib/Runtime/Device.h"
#include "lib/Runtime/CudaDevice.h"
#include "lib/Runtime/HostDevice.h"

using namespace mixattn;

Result<std::unique_ptr<Device>>
mixattn::openDevice(const Target &target, std::optional<DLDevice> asked) {
  DLDevice device = asked.value_or(DLDevice{kDLCPU, 0});
  bool isForGpu = device.device_type == kDLCUDA;
  if (asked && isForGpu && !target.isGpu())
    return makeError("expected code for a GPU with '--device', but got code "
                     "for {}",
                     target.arch);
  if (asked && !isForGpu && target.isGpu())
    return makeError("expected code for a CPU with '--device', but got code "
                     "for {}",
                     target.arch);
  if (target.isGpu())
    return CudaDevice::open(device.device_id);
  return std::unique_ptr<Device>(std::make_unique<HostDevice>());
}
