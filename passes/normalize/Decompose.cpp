// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-decompose: lowers any attention op to linalg, stage by stage, unfused.

#include "passes/Passes.h"
#include "passes/normalize/Decomposition.h"
#include "passes/normalize/PlainPaths.h"
#include "passes/normalize/Projections.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mixattn {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct DecomposePass : mixattn::impl::DecomposePassBase<DecomposePass> {
  void runOnOperation() override {
    // The normal form states what a named op leaves out.
    generalizeAll(getOperation());
    SmallVector<AttentionOpInterface> attentions;
    getOperation()->walk([&](AttentionOpInterface op) {
      if (!op->getParentOfType<KernelOp>())
        attentions.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (AttentionOpInterface op : attentions) {
      makeProjections(rewriter, cast<GenericOp>(op.getOperation()));
      rewriter.setInsertionPoint(op);
      rewriter.replaceOp(op, Decomposition(op, rewriter).emit());
    }
    decomposeEach<LinearGenericOp, StructuredPoolOp, ResponsibilitiesOp,
                  PriorUpdateOp, OrthogonalPenaltyOp, RowTermOp, ProjectOp>(
        getOperation());
  }
};

} // namespace
