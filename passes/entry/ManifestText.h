// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The manifest that a module carries, once it is written.

#ifndef MIXATTN_PASSES_ENTRY_MANIFEST_TEXT_H
#define MIXATTN_PASSES_ENTRY_MANIFEST_TEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace mixattn {

/// Lets `change` change each entry, which is given with its name, in the
/// manifest of `module`, if there is one.
void changeEntries(
    mlir::ModuleOp module,
    llvm::function_ref<void(llvm::StringRef name, llvm::json::Object &entry)>
        change);

} // namespace mixattn

#endif // MIXATTN_PASSES_ENTRY_MANIFEST_TEXT_H
