// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-separate-scratch: each tile of scratch memory is an allocation.

#include "dialect/tile/TileOps.h"
#include "passes/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mixattn {
#define GEN_PASS_DEF_SEPARATESCRATCHPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Makes what `view` shows of other memory memory of its own.
static void separate(memref::ViewOp view) {
  OpBuilder b(view);
  // No alignment: it would be had by allocating more, of which the sanitizer
  // takes every byte for the tile's.
  Value tile = memref::AllocOp::create(b, view.getLoc(), view.getType(),
                                       view.getSizes());
  Block *block = view->getBlock();
  if (block->mightHaveTerminator())
    b.setInsertionPoint(block->getTerminator());
  else
    b.setInsertionPointToEnd(block);
  memref::DeallocOp::create(b, view.getLoc(), tile);
  view.replaceAllUsesWith(tile);
  view.erase();
}

namespace {

struct SeparateScratchPass
    : mixattn::impl::SeparateScratchPassBase<SeparateScratchPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<memref::ViewOp> tiles;
    getOperation()->walk([&](memref::ViewOp view) {
      auto scratch = dyn_cast<BlockArgument>(view.getSource());
      if (scratch && isa<tile::GridOp>(scratch.getOwner()->getParentOp()))
        tiles.push_back(view);
    });
    llvm::for_each(tiles, separate);
  }
};

} // namespace
