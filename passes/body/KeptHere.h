// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps a kernel from computing values long before they are used: registers
// would hold them all the way.

#ifndef MIXATTN_PASSES_BODY_KEPT_HERE_H
#define MIXATTN_PASSES_BODY_KEPT_HERE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <string>

namespace mixattn {

/// `value`, an i32, an i64 or an index, which LLVM takes for one that is known
/// only here: it computes nothing from it before, such as addresses.
mlir::Value keptHere(mlir::ImplicitLocOpBuilder &b, mlir::Value value);

/// Ends a basic block: ptxas moves no load from after it to before it.
void keepLoadsAfter(mlir::ImplicitLocOpBuilder &b);

/// PTX with `code` on a way that is never taken, after which a basic block
/// begins: there is a block in every grid, which ptxas does not see.
std::string neverTaken(llvm::StringRef code);

} // namespace mixattn

#endif // MIXATTN_PASSES_BODY_KEPT_HERE_H
