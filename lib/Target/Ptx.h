// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From kernels in the LLVM dialect to PTX.
#ifndef MIXATTN_LIB_TARGET_PTX_H
#define MIXATTN_LIB_TARGET_PTX_H

#include "lib/Runtime/Result.h"

#include <string>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace mixattn {

/// Turns the one `gpu.module` of `module`, whose functions are in the LLVM
/// dialect, into the text that ptxas reads. It becomes a `gpu.binary`. What
/// MLIR has to say about the module goes to its diagnostic handlers.
Result<std::string> emitPtx(mlir::ModuleOp module);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_PTX_H
