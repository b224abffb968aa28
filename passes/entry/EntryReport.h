// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that tells a caller why an entry failed.

#ifndef MIXATTN_PASSES_ENTRY_ENTRY_REPORT_H
#define MIXATTN_PASSES_ENTRY_ENTRY_REPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// The fields of mixattn_call (lib/Runtime/abi.h) in their order.
enum class CallField {
  Size,
  Stream,
  Workspace,
  WorkspaceBytes,
  Message,
  MessageSize,
  Packed,
  PackedBytes
};

/// Emits the value of `field`, not the first, of `call`, a `mixattn_call *`:
/// NULL or 0 where the call is NULL, or too short to have it.
mlir::Value emitLoad(mlir::ImplicitLocOpBuilder &b, mlir::Value call,
                     CallField field);

/// The address of `text`, which ends with a zero, as a constant `name`.
mlir::Value emitText(mlir::ImplicitLocOpBuilder &b, const llvm::Twine &name,
                     const llvm::Twine &text);

/// Emits the message that snprintf makes of `format` and up to three `numbers`,
/// of type i64, for the caller who passed `call`, after `title` and a colon:
/// the address of a text, or null. `name` is a symbol of its own, for the
/// format.
void emitReport(mlir::ImplicitLocOpBuilder &b, mlir::ModuleOp module,
                const llvm::Twine &name, mlir::Value call, mlir::Value title,
                const llvm::Twine &format, mlir::ValueRange numbers = {});

} // namespace mixattn

#endif // MIXATTN_PASSES_ENTRY_ENTRY_REPORT_H
