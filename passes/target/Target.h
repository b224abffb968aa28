// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Targets of any family in words.

#ifndef MIXATTN_PASSES_TARGET_TARGET_H
#define MIXATTN_PASSES_TARGET_TARGET_H

#include "dialect/attn/AttnOps.h"

#include "llvm/Support/JSON.h"

#include <string>

namespace mixattn {

/// The machine as a sentence for people.
std::string describeTarget(TargetAttr target);

/// How far predicted speeds are off published ones; nothing where predictions
/// are of what was measured.
std::string describeResiduals(TargetAttr target);

/// Those that share the work of a call: `2 threads`, `108 multiprocessors`.
std::string describeWorkers(TargetAttr target);

/// The machine as reports say it: `threads` and `cpu`, or `gpu`.
llvm::json::Object describeTargetAsJson(TargetAttr target);

/// The `target` of lib/Runtime/manifest.md.
llvm::json::Object describeForManifest(TargetAttr target);

} // namespace mixattn

#endif // MIXATTN_PASSES_TARGET_TARGET_H
