// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over an argument's values that check them before an entry computes.

#ifndef MIXATTN_PASSES_ENTRY_ENTRY_VALUES_H
#define MIXATTN_PASSES_ENTRY_ENTRY_VALUES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// Makes an i64 of an integer or the name of a dim.
using BoundOf = llvm::function_ref<mlir::Value(mlir::Attribute)>;

/// Goes on where `holds`, an i1; else reports what was `expected`, with up to
/// three `numbers`, of type i64, in its places.
using Require = llvm::function_ref<void(
    mlir::Value holds, const llvm::Twine &expected, mlir::ValueRange numbers)>;

/// Emits checks that the values of `buffer` lie in `range`, and that they are
/// what `holds` says (`attn.range` and `attn.holds`, either may be null).
void emitValueChecks(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                     mlir::ArrayAttr range, mlir::DictionaryAttr holds,
                     BoundOf boundOf, Require require);

} // namespace mixattn

#endif // MIXATTN_PASSES_ENTRY_ENTRY_VALUES_H
