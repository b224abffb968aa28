// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The weights of a model, and those that its artifact holds.
#ifndef MIXATTN_TOOLS_COMPILE_WEIGHTS_H
#define MIXATTN_TOOLS_COMPILE_WEIGHTS_H

#include "lib/Runtime/Tensor.h"
#include "lib/Target/WeightsSection.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mixattn {

/// Weights, which last until the artifact is written.
struct Weights {
  /// The files that they may lie in.
  std::unique_ptr<llvm::MemoryBuffer> model;
  std::shared_ptr<const void> memory;
  /// By names of arguments.
  std::vector<std::pair<std::string, Tensor>> tensors;
  /// Those that the artifact holds.
  WeightsSection section;
};

/// Reads the tensors of the safetensors file at `path`. What no identifier has
/// is `_` in the names of arguments.
Status readWeights(const std::string &path, Weights &weights);

/// Puts into the section what `objects`, the code of `module`, read of embedded
/// parameters, and checks these as a call would.
Status embedWeights(mlir::ModuleOp module, llvm::ArrayRef<std::string> objects,
                    Weights &weights);

} // namespace mixattn

#endif // MIXATTN_TOOLS_COMPILE_WEIGHTS_H
