// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as safetensors: every tensor of a file that opens can be loaded,
// or has a dtype that we lack.
#include "lib/Runtime/Safetensors.h"
#include <cstdlib>
#include <cstring>

using namespace mixattn;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<Buffer> buffer = Buffer::allocate(size);
  if (!buffer)
    return 0;
  std::memcpy(buffer->data(), data, size);
  Result<SafetensorsFile> file = SafetensorsFile::open(std::move(*buffer));
  if (!file)
    return 0;
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const std::string &name : file->names())
    if (Result<Tensor> tensor = file->load(name))
      tensors.emplace_back(name, std::move(*tensor));
  std::vector<NamedTensor> named;
  for (auto &[name, tensor] : tensors)
    named.emplace_back(name, &tensor);
  std::string written = writeSafetensors(named);
  buffer = Buffer::allocate(written.size());
  std::memcpy(buffer->data(), written.data(), written.size());
  Result<SafetensorsFile> again = SafetensorsFile::open(std::move(*buffer));
  if (!again || again->names().size() != named.size())
    abort();
  return 0;
}
