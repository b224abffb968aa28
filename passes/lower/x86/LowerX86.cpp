// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-lower-x86: turns tile ops into loops over vectors.

#include "passes/Passes.h"
#include "passes/lower/x86/Lowerings.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mixattn {
#define GEN_PASS_DEF_LOWERX86PASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct LowerX86Pass : mixattn::impl::LowerX86PassBase<LowerX86Pass> {
  using Base::Base;

  void runOnOperation() override {
    CpuModel cpu = describeCpuOf(getOperation());
    // Inner ops first: the region of one may hold others.
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_present<tile::TileDialect>(op->getDialect()))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      TypeSwitch<Operation *>(op)
          .Case<tile::PackOp, tile::UnpackOp, tile::ScoresOp, tile::PoolOp,
                tile::PairOp, tile::WidenOp, tile::MultiplyOp, tile::UpdateOp,
                tile::DotRowsOp, tile::SquareRowsOp, tile::SumRowsOp,
                tile::Exp2Op>([&](auto op) { lower(rewriter, op, cpu); });
    }
  }
};

} // namespace
