// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-lower-nvptx: turns tile ops and functions into instructions of a warp.

#include "passes/Passes.h"
#include "passes/lower/nvptx/DeviceBuffers.h"
#include "passes/lower/nvptx/Lowerings.h"

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
#define GEN_PASS_DEF_LOWERNVPTXPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct LowerNvptxPass : mixattn::impl::LowerNvptxPassBase<LowerNvptxPass> {
  /// Checks that rows of the device's memory are of what a kernel was given.
  LogicalResult checkBuffers() {
    WalkResult result = getOperation()->walk([](Operation *op) {
      Value buffer =
          TypeSwitch<Operation *, Value>(op)
              .Case<tile::NvptxCopyOp, tile::NvptxLoadOp>(
                  [](auto op) { return op.getSource(); })
              .Case([](tile::NvptxStoreOp op) { return op.getTarget(); })
              .Default([](Operation *) { return Value(); });
      if (!buffer || isOnDevice(buffer))
        return WalkResult::advance();
      op->emitOpError("expected a part, with steps of 1, of a "
                      "'tile.device_buffer'");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

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
          .Case<tile::NvptxCopyOp, tile::NvptxCommitOp, tile::NvptxWaitOp,
                tile::NvptxLoadOp, tile::NvptxStoreOp, tile::NvptxMmaOp,
                tile::NvptxMapOp, tile::NvptxRowMaxOp, tile::NvptxRowSumOp,
                tile::NvptxToOperandOp>([&](auto op) { lower(rewriter, op); });
    }
  }

  void runOnOperation() override {
    if (failed(checkBuffers()))
      return signalPassFailure();
    lowerTiles();
    RewritePatternSet patterns(&getContext());
    populateDeviceBuffers(patterns);
    // Sizes of parts are those that the parts were made with.
    memref::DimOp::getCanonicalizationPatterns(patterns, &getContext());
    populateFunctionsToNvptx(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    WalkResult result = getOperation()->walk([&](Operation *op) {
      if (!isa_and_present<math::MathDialect>(op->getDialect()))
        return WalkResult::advance();
      op->emitOpError("is no function of nvptx");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
