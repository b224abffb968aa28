// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-lower-gpu: turns ops on fragments and functions into instructions.

#include "passes/Passes.h"
#include "passes/lower/gpu/DeviceBuffers.h"
#include "passes/lower/gpu/Lowerings.h"
#include "passes/lower/gpu/SharedMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mixattn {
#define GEN_PASS_DEF_LOWERGPUPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct LowerGpuPass : mixattn::impl::LowerGpuPassBase<LowerGpuPass> {
  void lowerTiles() {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_present<tile::TileDialect>(op->getDialect()))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      TypeSwitch<Operation *>(op)
          .Case<tile::StoreOp, tile::PutOp, tile::StoreRowsOp, tile::LoadRowsOp,
                tile::MapOp, tile::RowMaxOp, tile::RowSumOp, tile::JoinMaxOp,
                tile::JoinSumOp, tile::AnyOp, tile::ToOperandOp, tile::FetchOp,
                tile::FetchedOp, tile::SharedWriteOp, tile::SharedWriteRowOp>(
              [&](auto op) { lower(rewriter, op); });
    }
  }

  void lowerReads() {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](tile::SharedReadOp op) {
      rewriter.setInsertionPoint(op);
      lower(rewriter, op);
    });
  }

  void runOnOperation() override {
    if (failed(checkRows<tile::StoreOp, tile::FetchOp>(getOperation())) ||
        failed(
            checkTiles<tile::FetchOp, tile::SharedReadOp, tile::SharedWriteOp,
                       tile::SharedWriteRowOp, tile::LoadRowsOp, tile::PutOp>(
                getOperation())))
      return signalPassFailure();
    lowerTiles();
    // Maps have a read for each element now.
    lowerReads();
    RewritePatternSet patterns(&getContext());
    populateDeviceBuffers(patterns);
    // Sizes of parts are those that the parts were made with.
    memref::DimOp::getCanonicalizationPatterns(patterns, &getContext());
    populateFunctionsToInstructions(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    WalkResult result = getOperation()->walk([&](Operation *op) {
      if (!isa_and_present<math::MathDialect>(op->getDialect()))
        return WalkResult::advance();
      op->emitOpError("is no function of GPUs");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
