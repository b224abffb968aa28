// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits a remark at every attention that mixes heads after the softmax.

#include "ReportMixers.h"

#include "dialect/attn/AttnOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {

/// Asks through the interface, so it also covers ops that do not exist yet.
struct ReportMixers : PassWrapper<ReportMixers, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReportMixers)

  StringRef getArgument() const final { return "report-mixers"; }
  StringRef getDescription() const final {
    return "Emit a remark at every attention that mixes heads";
  }

  void runOnOperation() final {
    getOperation()->walk([](mixattn::AttentionOpInterface op) {
      if (op.hasPostmix())
        op->emitRemark() << "mixes " << op.getNumHeads() << " heads";
    });
    markAllAnalysesPreserved();
  }
};

} // namespace

void registerReportMixers() { PassRegistration<ReportMixers>(); }
