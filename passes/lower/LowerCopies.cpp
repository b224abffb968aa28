// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-lower-copies: turns copies between strided buffers into linalg.

#include "passes/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mixattn {
#define GEN_PASS_DEF_LOWERCOPIESPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct LowerCopiesPass : mixattn::impl::LowerCopiesPassBase<LowerCopiesPass> {
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp op) { copies.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (memref::CopyOp op : copies) {
      auto hasStrides = [](Value buffer) {
        auto type = dyn_cast<MemRefType>(buffer.getType());
        return type && !type.getLayout().isIdentity();
      };
      if (!hasStrides(op.getSource()) && !hasStrides(op.getTarget()))
        continue;
      rewriter.setInsertionPoint(op);
      rewriter.replaceOpWithNewOp<linalg::CopyOp>(op, op.getSource(),
                                                  op.getTarget());
    }
  }
};

} // namespace
