// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-fold-reshapes: parts of the workspace with other dims are parts of it.

#include "passes/Passes.h"
#include "passes/lower/gpu/ViewSizes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace mixattn {
#define GEN_PASS_DEF_FOLDRESHAPESPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The sizes of what `op` gives that its type leaves open.
static SmallVector<Value> openSizes(ImplicitLocOpBuilder &,
                                    memref::ExpandShapeOp op) {
  return SmallVector<Value>(op.getOutputShape());
}

static SmallVector<Value> openSizes(ImplicitLocOpBuilder &b,
                                    memref::CollapseShapeOp op) {
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < op.getResultType().getRank(); ++dim)
    if (op.getResultType().isDynamicDim(dim))
      sizes.push_back(emitSize(b, op.getResult(), dim));
  return sizes;
}

/// Puts a part of the workspace in the place of `op`, which gives one other
/// dims.
template <typename Op> static void fold(Op op) {
  auto part = op.getSrc().template getDefiningOp<memref::ViewOp>();
  MemRefType type = op.getResultType();
  if (!part || !type.getLayout().isIdentity())
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> sizes = openSizes(b, op);
  auto made = memref::ViewOp::create(b, type, part.getSource(),
                                     part.getByteShift(), sizes);
  op.replaceAllUsesWith(made.getResult());
  op.erase();
}

namespace {

struct FoldReshapesPass
    : mixattn::impl::FoldReshapesPassBase<FoldReshapesPass> {
  using Base::Base;

  void runOnOperation() override {
    // A part that is reshaped twice is reshaped in this order.
    SmallVector<Operation *> reshapes;
    getOperation()->walk([&](Operation *op) {
      if (isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(op))
        reshapes.push_back(op);
    });
    for (Operation *op : reshapes)
      if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op))
        fold(collapse);
      else
        fold(cast<memref::ExpandShapeOp>(op));
  }
};

} // namespace
