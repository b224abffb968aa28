// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields of a linear attention in the manifest.

#ifndef MIXATTN_PASSES_MANIFEST_MANIFEST_LINEAR_H
#define MIXATTN_PASSES_MANIFEST_MANIFEST_LINEAR_H

#include "dialect/attn/AttnOps.h"

#include "llvm/Support/JSON.h"

namespace mixattn {

/// Puts the names of operands that there are at their keys, or says which of
/// them has none.
using PutNames = llvm::function_ref<llvm::Error(
    llvm::json::Object &,
    llvm::ArrayRef<std::pair<llvm::StringRef, mlir::Value>>)>;

/// The fields of `op` but its result, or why the manifest cannot say them.
llvm::Expected<llvm::json::Object> describeLinear(LinearAttentionOpInterface op,
                                                  PutNames putNames);

} // namespace mixattn

#endif // MIXATTN_PASSES_MANIFEST_MANIFEST_LINEAR_H
