// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-lower-mma: turns tile ops of mma into instructions of a warp.

#include "passes/Passes.h"
#include "passes/lower/gpu/DeviceBuffers.h"
#include "passes/lower/gpu/SharedMemory.h"
#include "passes/lower/mma/Lowerings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mixattn {
#define GEN_PASS_DEF_LOWERMMAPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct LowerMmaPass : mixattn::impl::LowerMmaPassBase<LowerMmaPass> {
  void runOnOperation() override {
    if (failed(checkRows<tile::MmaCopyOp, tile::MmaLoadOp>(getOperation())) ||
        failed(checkTiles<tile::MmaCopyOp, tile::MmaProductOp>(getOperation())))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](Operation *op) {
      rewriter.setInsertionPoint(op);
      TypeSwitch<Operation *>(op)
          .Case<tile::MmaCopyOp, tile::MmaCommitOp, tile::MmaWaitOp,
                tile::MmaLoadOp, tile::MmaProductOp>(
              [&](auto op) { lower(rewriter, op); });
    });
  }
};

} // namespace
