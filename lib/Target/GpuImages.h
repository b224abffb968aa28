// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of one or several GPUs, as a driver loads them.
#ifndef MIXATTN_LIB_TARGET_GPUIMAGES_H
#define MIXATTN_LIB_TARGET_GPUIMAGES_H

#include "lib/Target/CudaTools.h"

#include <vector>

namespace mixattn {

/// Kernels for one chip, "sm_80", as PTX.
struct GpuKernels {
  std::string chip, ptx;
};

/// A fatbin, which a driver loads on the GPUs that the code for one chip runs
/// on.
struct GpuImage {
  std::string chip, bytes;
  /// Whether it is what later GPUs of other major numbers run, which compile
  /// its PTX.
  bool isForAllLater;
};

/// 10 x major + minor of the chip's compute capability.
int capabilityOf(llvm::StringRef chip);

/// Whether code for `chip` runs on later chips: all but those whose names end
/// in a letter, sm_90a.
bool isForLater(llvm::StringRef chip);

/// One fatbin of all of `kernels`, chips in ascending order: a cubin each, and
/// one PTX. It is that of the first chip whose code is for later ones, which
/// serves the most GPUs, and of the only chip where there is no such.
Result<std::string> makeFatbin(const CudaTools &tools,
                               llvm::ArrayRef<GpuKernels> kernels);

/// A fatbin for each chip: its cubin, and its PTX, since a driver older than
/// ptxas takes no cubin. The chip whose PTX makeFatbin keeps is for later GPUs.
Result<std::vector<GpuImage>> makeImages(const CudaTools &tools,
                                         llvm::ArrayRef<GpuKernels> kernels);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_GPUIMAGES_H
