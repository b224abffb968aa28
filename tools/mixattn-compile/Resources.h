// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants whose bytes stand at the end of a file.
#ifndef MIXATTN_TOOLS_COMPILE_RESOURCES_H
#define MIXATTN_TOOLS_COMPILE_RESOURCES_H

#include "mlir/IR/BuiltinOps.h"

namespace mixattn {

/// Checks that every `dense_resource` in `module` is in the file, with as many
/// bytes as its type takes.
mlir::LogicalResult checkResources(mlir::ModuleOp module);

} // namespace mixattn

#endif // MIXATTN_TOOLS_COMPILE_RESOURCES_H
