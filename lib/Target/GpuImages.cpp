// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of one or several GPUs, as a driver loads them.
#include "lib/Target/GpuImages.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mixattn;

int mixattn::capabilityOf(llvm::StringRef chip) {
  int number = 0;
  chip.consume_front("sm_");
  chip.consumeInteger(10, number);
  return number;
}

bool mixattn::isForLater(llvm::StringRef chip) {
  return llvm::isDigit(chip.back());
}

/// The place in `kernels` of those that serve later GPUs of any major number.
static size_t placeForLater(llvm::ArrayRef<GpuKernels> kernels) {
  const GpuKernels *found = llvm::find_if(
      kernels, [](const GpuKernels &each) { return isForLater(each.chip); });
  return found == kernels.end() ? 0 : found - kernels.begin();
}

/// The machine code of `kernels`, and their PTX where it is kept.
static Result<std::vector<GpuCode>>
makeCodes(const CudaTools &tools, const GpuKernels &kernels, bool keepsPtx) {
  auto cubin = tools.assemble(kernels.ptx, kernels.chip);
  if (!cubin)
    return cubin.error();
  std::vector<GpuCode> codes = {
      {GpuCode::Kind::Cubin, kernels.chip, std::move(*cubin)}};
  if (keepsPtx)
    codes.push_back({GpuCode::Kind::Ptx, kernels.chip, kernels.ptx});
  return codes;
}

Result<std::string> mixattn::makeFatbin(const CudaTools &tools,
                                        llvm::ArrayRef<GpuKernels> kernels) {
  std::vector<GpuCode> all;
  size_t kept = placeForLater(kernels);
  for (auto [place, each] : llvm::enumerate(kernels)) {
    auto codes = makeCodes(tools, each, /*keepsPtx=*/place == kept);
    if (!codes)
      return codes.error();
    llvm::append_range(all, *codes);
  }
  return tools.join(all);
}

Result<std::vector<GpuImage>>
mixattn::makeImages(const CudaTools &tools,
                    llvm::ArrayRef<GpuKernels> kernels) {
  std::vector<GpuImage> images;
  size_t later = placeForLater(kernels);
  for (auto [place, each] : llvm::enumerate(kernels)) {
    auto codes = makeCodes(tools, each, /*keepsPtx=*/true);
    if (!codes)
      return codes.error();
    auto bytes = tools.join(*codes);
    if (!bytes)
      return bytes.error();
    bool isForAllLater = place == later && isForLater(each.chip);
    images.push_back({each.chip, std::move(*bytes), isForAllLater});
  }
  return images;
}
