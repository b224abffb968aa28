// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-lower-wgmma: turns tile ops of wgmma into instructions of warpgroups.

#include "passes/Passes.h"
#include "passes/lower/wgmma/Lowerings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mixattn {
#define GEN_PASS_DEF_LOWERWGMMAPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Whether `value` is known by its type to be one that the pass replaces.
static bool isOfWgmma(Value value) {
  if (auto tile = dyn_cast<tile::SharedType>(value.getType()))
    return !tile.isPadded();
  return isa<tile::RingType, tile::PendingType>(value.getType());
}

namespace {

struct LowerWgmmaPass : mixattn::impl::LowerWgmmaPassBase<LowerWgmmaPass> {
  /// Checks that rings, tiles and what is pending come straight from the ops
  /// that make them.
  LogicalResult check() {
    WalkResult result = getOperation()->walk([](Operation *op) {
      for (Value operand : op->getOperands())
        if (isOfWgmma(operand) &&
            !isa_and_present<tile::WgmmaRingOp, tile::WgmmaAwaitOp,
                             tile::SharedTileOp, tile::WgmmaProductOp>(
                operand.getDefiningOp())) {
          op->emitOpError("expected rings, tiles and pending fragments from "
                          "the ops that make them");
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  void runOnOperation() override {
    if (failed(check()))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    Lowered lowered;
    SmallVector<Operation *> done;
    SmallVector<tile::WgmmaRolesOp> roles;
    // In program order: what an op takes is lowered before it.
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      rewriter.setInsertionPoint(op);
      TypeSwitch<Operation *>(op)
          .Case([&](tile::WgmmaRolesOp op) { roles.push_back(op); })
          // It stays, as long as somebody else reads it.
          .Case([&](tile::SharedTileOp op) {
            lower(static_cast<OpBuilder &>(rewriter), op, lowered);
          })
          .Case<tile::WgmmaRingOp, tile::WgmmaOpenOp, tile::WgmmaFillOp,
                tile::WgmmaAwaitOp, tile::WgmmaReleaseOp, tile::WgmmaClearOp,
                tile::WgmmaStoreOp, tile::WgmmaStoredOp, tile::WgmmaProductOp,
                tile::WgmmaWaitOp, tile::WgmmaBoundaryOp,
                tile::WgmmaOpenTurnsOp, tile::WgmmaTakeTurnOp,
                tile::WgmmaPassTurnOp, tile::WgmmaCloseTurnsOp>([&](auto op) {
            lower(static_cast<OpBuilder &>(rewriter), op, lowered);
            done.push_back(op);
          });
    });
    for (Operation *op : llvm::reverse(done))
      rewriter.eraseOp(op);
    for (tile::WgmmaRolesOp op : roles) {
      rewriter.setInsertionPoint(op);
      lower(rewriter, op);
    }
  }
};

} // namespace
