// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructors and options of every pass in Passes.td.

#ifndef MIXATTN_PASSES_PASSES_H
#define MIXATTN_PASSES_PASSES_H

#include "dialect/attn/AttnOps.h"

#include "passes/Level.h"

#include "mlir/Pass/Pass.h"

namespace mixattn {

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

} // namespace mixattn

#endif // MIXATTN_PASSES_PASSES_H
