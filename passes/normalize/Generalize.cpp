// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-generalize: says every named attention op in the normal form.

#include "dialect/attn/AttnOps.h"
#include "passes/Passes.h"

namespace mixattn {
#define GEN_PASS_DEF_GENERALIZEPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct GeneralizePass : mixattn::impl::GeneralizePassBase<GeneralizePass> {
  void runOnOperation() override { generalizeAll(getOperation()); }
};

} // namespace
