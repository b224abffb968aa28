// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that callers of an artifact see.

#ifndef MIXATTN_PASSES_ENTRY_ENTRIES_H
#define MIXATTN_PASSES_ENTRY_ENTRIES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mixattn {

/// The entries of `module`: its public functions with a body, in order.
llvm::SmallVector<mlir::func::FuncOp> getEntries(mlir::ModuleOp module);

/// Whether callers can pass a tensor of `type`: ranked, of floats or signless
/// integers whose elements are whole bytes, or of booleans.
bool isEntryType(mlir::Type type);

/// The buffer of a caller's tensor: any strides but the innermost, which is 1.
/// Booleans are bytes.
mlir::MemRefType getEntryBuffer(mlir::RankedTensorType tensor);

/// The bounds of the values of argument `index` (`attn.range`, and the extents
/// of `attn.holds`): integers and names of dims.
llvm::SmallVector<mlir::Attribute> getValueBounds(mlir::func::FuncOp entry,
                                                  unsigned index);

/// Reports where `entry` is not as attn-bind-names leaves it: one block that
/// returns, tensors that callers can pass, a name for each of them and for
/// each of their dynamic dims.
llvm::LogicalResult verifyNamed(mlir::func::FuncOp entry);

} // namespace mixattn

#endif // MIXATTN_PASSES_ENTRY_ENTRIES_H
