// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-sizes-of-views: sizes of views are those that they were made with.

#include "passes/Passes.h"
#include "passes/lower/gpu/ViewSizes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mixattn {
#define GEN_PASS_DEF_SIZESOFVIEWSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct SizesOfViewsPass
    : mixattn::impl::SizesOfViewsPassBase<SizesOfViewsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<memref::DimOp> asked;
    getOperation()->walk([&](memref::DimOp op) {
      if (op.getConstantIndex() &&
          op.getSource().getDefiningOp<ViewLikeOpInterface>())
        asked.push_back(op);
    });
    for (memref::DimOp op : asked) {
      ImplicitLocOpBuilder b(op.getLoc(), op);
      op.replaceAllUsesWith(
          emitSize(b, op.getSource(), *op.getConstantIndex()));
      op.erase();
    }
  }
};

} // namespace
