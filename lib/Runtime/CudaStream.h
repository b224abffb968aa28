// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU that is in use.
#ifndef MIXATTN_LIB_RUNTIME_CUDASTREAM_H
#define MIXATTN_LIB_RUNTIME_CUDASTREAM_H

#include "lib/Runtime/CudaDriver.h"
#include <memory>

namespace mixattn {

/// One GPU, and a stream of its own that all work there goes through, in order.
/// Its primary context is current in the thread that made it.
class CudaStream {
public:
  static Result<std::unique_ptr<CudaStream>> open(int number);
  CudaStream(const CudaStream &) = delete;
  CudaStream &operator=(const CudaStream &) = delete;
  ~CudaStream();

  /// The number of the GPU.
  int number() const { return device; }
  CUstream handle() const { return stream; }
  const CudaDriver &driver() const { return functions; }

  /// Waits until all work is done. An error is the driver's name and text.
  Status wait() const;
  /// The error that `function` of the driver returned, as a sentence.
  Status check(const char *function, CUresult result) const;

private:
  CudaStream(CudaDriver driver, int number)
      : functions(driver), device(number) {}

  CudaDriver functions;
  int device;
  CUstream stream = nullptr;
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_CUDASTREAM_H
