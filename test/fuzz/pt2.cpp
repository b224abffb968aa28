// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as a .pt2 archive, or as the program in one: what is read also
// becomes a module that verifies, or is refused by the op's name.
#include "lib/Import/Pt2Program.h"
#include "test/fuzz/BuildGraph.h"

using namespace mixattn;

/// Zeros, whatever the name; a wrong shape is refused.
static Result<Tensor> findWeight(const std::string &) {
  Result<Tensor> tensor = Tensor::allocate(DType::F32, {6, 6});
  for (int64_t i = 0; tensor && i < tensor->elements(); ++i)
    tensor->setNumber(i, 0);
  return tensor;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view file(reinterpret_cast<const char *>(data), size);
  buildOrRefuse(isPt2(file) ? readPt2(file, {})
                            : readProgram(file, {}, findWeight));
  return 0;
}
