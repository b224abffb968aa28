// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every pass: what it takes, what it leaves, what it skips.

#ifndef MIXATTN_PASSES_TD
#define MIXATTN_PASSES_TD

include "passes/Pipelines/Passes.td"
include "passes/entry/Passes.td"
include "passes/lower/Passes.td"
include "passes/lower/gpu/Passes.td"
include "passes/lower/mma/Passes.td"
include "passes/lower/wgmma/Passes.td"
include "passes/lower/x86/Passes.td"
include "passes/manifest/Passes.td"
include "passes/normalize/Passes.td"
include "passes/normalize/algebra/Passes.td"
include "passes/plan/Passes.td"
include "passes/raise/Passes.td"
include "passes/schedule/Passes.td"
include "passes/schedule/gpu/Passes.td"
include "passes/target/Passes.td"

#endif // MIXATTN_PASSES_TD
