// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes an attention that was found.

#ifndef MIXATTN_PASSES_RAISE_EMIT_ATTENTION_H
#define MIXATTN_PASSES_RAISE_EMIT_ATTENTION_H

#include "passes/raise/RaisedAttention.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// The attention as `attn.generic` with what it is made of, in place of
/// `replaced`.
mlir::Value emitAttention(mlir::ImplicitLocOpBuilder &b, Expressions &make,
                          const RaisedAttention &attention,
                          mlir::Value replaced);

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_EMIT_ATTENTION_H
