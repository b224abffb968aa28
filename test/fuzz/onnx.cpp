// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as an ONNX model: what is read also becomes a module that verifies,
// or is refused by the op's name.
#include "lib/Import/Onnx.h"
#include "test/fuzz/BuildGraph.h"

using namespace mixattn;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view file(reinterpret_cast<const char *>(data), size);
  buildOrRefuse(readOnnx(file, "", {}));
  return 0;
}
