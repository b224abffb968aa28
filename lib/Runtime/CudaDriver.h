// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's driver, for those who call entries on tensors in GPU memory.
#ifndef MIXATTN_LIB_RUNTIME_CUDADRIVER_H
#define MIXATTN_LIB_RUNTIME_CUDADRIVER_H

#include "lib/Runtime/Result.h"
#include "lib/Runtime/cuda.h"

namespace mixattn {

/// The functions of libcuda.so.1, or of the library that the environment
/// variable MIXATTN_LIBCUDA names.
class CudaDriver {
public:
  /// Loads the library, which stays until the process ends, and makes it ready.
  static Result<CudaDriver> open();

#define MIXATTN_FIELD(name, parameters) CUresult(*name) parameters = nullptr;
  MIXATTN_CUDA_DEVICE_FUNCTIONS(MIXATTN_FIELD)
  MIXATTN_CUDA_MEMORY_FUNCTIONS(MIXATTN_FIELD)
#undef MIXATTN_FIELD

  /// The error's name and text: `CUDA_ERROR_NO_DEVICE: no CUDA-capable device
  /// is detected`.
  std::string describe(CUresult error) const;
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_CUDADRIVER_H
