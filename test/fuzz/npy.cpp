// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as .npy and .npz: what is read is also written, and read again.
#include "lib/Runtime/Npy.h"
#include "lib/Runtime/Npz.h"
#include <cstdlib>

using namespace mixattn;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view file(reinterpret_cast<const char *>(data), size);
  if (Result<Tensor> tensor = readNpy(file)) {
    std::string written = writeNpy(*tensor);
    Result<Tensor> again = readNpy(written);
    if (!again || writeNpy(*again) != written)
      abort();
  }
  if (auto tensors = readNpz(file)) {
    std::vector<NamedTensor> named;
    for (auto &[name, tensor] : *tensors)
      named.emplace_back(name, &tensor);
    auto again = readNpz(*writeNpz(named));
    if (!again || again->size() != named.size())
      abort();
  }
  return 0;
}
