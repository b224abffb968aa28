// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A score_mod as steps, for readers without MLIR.

#ifndef MIXATTN_PASSES_BODY_SCORE_EXPRESSION_H
#define MIXATTN_PASSES_BODY_SCORE_EXPRESSION_H

#include "dialect/attn/AttnOps.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace mixattn {

/// The score_mod of `op` as the EXPRESSION of lib/Runtime/manifest.md.
/// `nameOf` gives the name of an entry's argument, or an empty string for any
/// other value. The error says why the region cannot be told.
llvm::Expected<llvm::json::Value>
scoreExpression(AttentionOpInterface op,
                llvm::function_ref<llvm::StringRef(mlir::Value)> nameOf);

} // namespace mixattn

#endif // MIXATTN_PASSES_BODY_SCORE_EXPRESSION_H
