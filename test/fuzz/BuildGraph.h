// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second half of fuzzing a reader of models: what is read is built.
#ifndef MIXATTN_TEST_FUZZ_BUILDGRAPH_H
#define MIXATTN_TEST_FUZZ_BUILDGRAPH_H

#include "lib/Import/BuildModule.h"

#include "mlir/IR/MLIRContext.h"

namespace mixattn {

/// Builds a graph that was read, and aborts where the module does not verify:
/// an op that cannot be built is refused by its name.
inline void buildOrRefuse(Result<Graph> graph) {
  if (!graph)
    return;
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Result<BuiltModule> built = buildModule(std::move(*graph), "model", context);
  if (!built && built.message().find("does not verify") != std::string::npos)
    abort();
}

} // namespace mixattn

#endif // MIXATTN_TEST_FUZZ_BUILDGRAPH_H
