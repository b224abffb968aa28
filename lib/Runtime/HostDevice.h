// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU that this process runs on, as a device.
#ifndef MIXATTN_LIB_RUNTIME_HOSTDEVICE_H
#define MIXATTN_LIB_RUNTIME_HOSTDEVICE_H

#include "lib/Runtime/Device.h"

namespace mixattn {

/// Tensors stay where they are, and calls return when they are done.
class HostDevice : public Device {
public:
  DLDevice dlpackDevice() const override { return {kDLCPU, 0}; }
  Result<std::unique_ptr<Memory>> allocate(size_t bytes) override;
  Result<std::unique_ptr<Memory>> allocateGuarded(size_t bytes,
                                                  Flush flush) override;
  Result<std::unique_ptr<Memory>> place(Tensor &tensor) override;
  Status prepare(const Entry &, const LoadedEntry &) override {
    return Success();
  }
  Status run(const Call &call) override;
  Status runGuarded(const Call &call,
                    const std::string &accessMessage) override;
  Result<std::vector<double>> time(const Call &call, int64_t most) override;
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_HOSTDEVICE_H
