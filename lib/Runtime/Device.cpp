// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the device that suits an artifact.
#include "lib/Runtime/Device.h"
#include "lib/Runtime/CudaDevice.h"
#include "lib/Runtime/HostDevice.h"

using namespace mixattn;

Result<std::unique_ptr<Device>> mixattn::openDevice(const Target &target,
                                                    std::optional<int> number) {
  if (target.isGpu())
    return CudaDevice::open(number.value_or(0));
  if (number)
    return makeError("expected code for a GPU with '--device', but got code "
                     "for {}",
                     target.arch);
  return std::unique_ptr<Device>(std::make_unique<HostDevice>());
}
