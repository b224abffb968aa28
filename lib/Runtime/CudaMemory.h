// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a GPU.
#ifndef MIXATTN_LIB_RUNTIME_CUDAMEMORY_H
#define MIXATTN_LIB_RUNTIME_CUDAMEMORY_H

#include "lib/Runtime/Buffer.h"
#include "lib/Runtime/CudaStream.h"
#include "lib/Runtime/Memory.h"

namespace mixattn {

/// Memory of a GPU; what is done with it is done when the function returns.
class CudaMemory : public Memory {
public:
  /// With `margin` bytes on either side that only a fault writes to.
  static Result<std::unique_ptr<Memory>>
  allocate(const CudaStream &stream, size_t bytes, size_t margin = 0);
  ~CudaMemory() override;

  Status fill(unsigned char value) override;
  Status write(const char *from) override;
  Status read(char *to) const override;
  Status protect() override;
  Status checkGuard() const override;

private:
  explicit CudaMemory(const CudaStream &stream) : stream(stream) {}
  CUdeviceptr begin() const { return allocation + margin; }
  Status fill(CUdeviceptr from, unsigned char value, size_t size);
  Status read(CUdeviceptr from, char *to, size_t size) const;

  const CudaStream &stream;
  CUdeviceptr allocation = 0;
  size_t margin = 0;
  bool isProtected = false;
  /// The bytes that protected memory held.
  Buffer original;
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_CUDAMEMORY_H
