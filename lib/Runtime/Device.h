// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device that an artifact's code runs on.
#ifndef MIXATTN_LIB_RUNTIME_DEVICE_H
#define MIXATTN_LIB_RUNTIME_DEVICE_H

#include "lib/Runtime/Call.h"
#include "lib/Runtime/Guard.h"
#include "lib/Runtime/Memory.h"
#include <memory>

namespace mixattn {

/// The CPU, or a GPU. Memory must not outlive it.
class Device {
public:
  virtual ~Device() = default;

  /// The device as tensors name it.
  virtual DLDevice dlpackDevice() const = 0;

  /// Memory with undefined content, at an address that suits every use.
  virtual Result<std::unique_ptr<Memory>> allocate(size_t bytes) = 0;
  /// Memory that tells when a call touches what lies next to it.
  virtual Result<std::unique_ptr<Memory>> allocateGuarded(size_t bytes,
                                                          Flush flush) = 0;
  /// Memory with the elements of a tensor. It may be the tensor's own.
  virtual Result<std::unique_ptr<Memory>> place(Tensor &tensor) = 0;

  /// Makes everything ready that calls of an entry need.
  virtual Status prepare(const Entry &entry, const LoadedEntry &loaded) = 0;
  /// Makes a call and waits for its results.
  virtual Status run(const Call &call) = 0;
  /// The same of a call on guarded memory. If it touches an inaccessible page,
  /// `accessMessage` goes to standard error, and the process ends with exit
  /// code 1.
  virtual Status runGuarded(const Call &call,
                            const std::string &accessMessage) = 0;
  /// Makes calls one after the other, at least one and at most `most`: the
  /// milliseconds that each of them took.
  virtual Result<std::vector<double>> time(const Call &call, int64_t most) = 0;
};

/// The device that code for `target` runs on: the one that the user `asked`
/// for, else the CPU or the first GPU.
Result<std::unique_ptr<Device>> openDevice(const Target &target,
                                           std::optional<DLDevice> asked);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_DEVICE_H
