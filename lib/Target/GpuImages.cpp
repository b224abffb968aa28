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

/// The place in `kernels` of those whose PTX is kept.
static size_t placeOfPtx(llvm::ArrayRef<GpuKernels> kernels) {
  const GpuKernels *found = llvm::find_if(
      kernels, [](const GpuKernels &each) { return isForLater(each.chip); });
  return found == kernels.end() ? 0 : found - kernels.begin();
}

/// The codes for each of `kernels`.
static Result<std::vector<std::vector<GpuCode>>>
makeCodes(const CudaTools &tools, llvm::ArrayRef<GpuKernels> kernels) {
  std::vector<std::vector<GpuCode>> codes;
  size_t kept = placeOfPtx(kernels);
  for (const GpuKernels &each : kernels) {
    auto cubin = tools.assemble(each.ptx, each.chip);
    if (!cubin)
      return cubin.error();
    bool keepsPtx = codes.size() == kept;
    codes.push_back({{GpuCode::Kind::Cubin, each.chip, std::move(*cubin)}});
    if (keepsPtx)
      codes.back().push_back({GpuCode::Kind::Ptx, each.chip, each.ptx});
  }
  return codes;
}

Result<std::string> mixattn::makeFatbin(const CudaTools &tools,
                                        llvm::ArrayRef<GpuKernels> kernels) {
  auto codes = makeCodes(tools, kernels);
  if (!codes)
    return codes.error();
  std::vector<GpuCode> all;
  for (std::vector<GpuCode> &own : *codes)
    llvm::append_range(all, own);
  return tools.join(all);
}

Result<std::vector<GpuImage>>
mixattn::makeImages(const CudaTools &tools,
                    llvm::ArrayRef<GpuKernels> kernels) {
  auto codes = makeCodes(tools, kernels);
  if (!codes)
    return codes.error();
  std::vector<GpuImage> images;
  for (auto [each, own] : llvm::zip(kernels, *codes)) {
    auto bytes = tools.join(own);
    if (!bytes)
      return bytes.error();
    bool hasPtx = own.size() > 1 && isForLater(each.chip);
    images.push_back({each.chip, std::move(*bytes), hasPtx});
  }
  return images;
}
