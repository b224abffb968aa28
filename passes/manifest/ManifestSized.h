// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields in the manifest of ops whose results have sizes of operands.

#ifndef MIXATTN_PASSES_MANIFEST_MANIFEST_SIZED_H
#define MIXATTN_PASSES_MANIFEST_MANIFEST_SIZED_H

#include "passes/manifest/ManifestLinear.h"

namespace mixattn {

/// The fields of `op` but its result, or why the manifest cannot say them.
llvm::Expected<llvm::json::Object> describeSized(SizedOpInterface op,
                                                 PutNames putNames);

} // namespace mixattn

#endif // MIXATTN_PASSES_MANIFEST_MANIFEST_SIZED_H
