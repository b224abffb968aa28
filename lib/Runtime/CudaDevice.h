// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU, as a device.
#ifndef MIXATTN_LIB_RUNTIME_CUDADEVICE_H
#define MIXATTN_LIB_RUNTIME_CUDADEVICE_H

#include "lib/Runtime/CudaStream.h"
#include "lib/Runtime/Device.h"

namespace mixattn {

/// Tensors are copied to memory of the GPU, and calls launch kernels on a
/// stream of its own.
class CudaDevice : public Device {
public:
  /// The GPU of that number, from 0 on.
  static Result<std::unique_ptr<Device>> open(int number);

  DLDevice dlpackDevice() const override { return {kDLCUDA, stream->number()}; }
  Result<std::unique_ptr<Memory>> allocate(size_t bytes) override;
  Result<std::unique_ptr<Memory>> allocateGuarded(size_t bytes,
                                                  Flush flush) override;
  Result<std::unique_ptr<Memory>> place(Tensor &tensor) override;
  Status prepare(const Entry &entry, const LoadedEntry &loaded) override;
  Status run(const Call &call) override;
  Status runGuarded(const Call &call,
                    const std::string &accessMessage) override;
  Result<std::vector<double>> time(const Call &call, int64_t most) override;

private:
  CudaDevice(std::unique_ptr<CudaStream> stream, std::unique_ptr<Memory> status)
      : stream(std::move(stream)), status(std::move(status)) {}
  /// Launches what the entry launches.
  Status launch(const Call &call);
  /// Waits for the kernels of all calls since the status word was 0.
  Status finish(const Entry &entry);

  std::unique_ptr<CudaStream> stream;
  /// The status word, where kernels tell of values out of range.
  std::unique_ptr<Memory> status;
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_CUDADEVICE_H
