// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as an ONNX model: what is read also becomes a module that verifies,
// or is refused by the op's name.
#include "lib/Import/Onnx.h"
#include "lib/Import/BuildModule.h"

#include "mlir/IR/MLIRContext.h"

using namespace mixattn;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view file(reinterpret_cast<const char *>(data), size);
  Result<Graph> graph = readOnnx(file, "", {});
  if (!graph)
    return 0;
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Result<BuiltModule> built = buildModule(std::move(*graph), "model", context);
  if (!built && built.message().find("does not verify") != std::string::npos)
    abort();
  return 0;
}
