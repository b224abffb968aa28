// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-split-dims: reshapes that split a dim into several open ones, as views.

#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mixattn {
#define GEN_PASS_DEF_SPLITDIMSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Whether `op` makes more than one open dim of any dim.
static bool hasManyOpenDims(memref::ExpandShapeOp op) {
  MemRefType type = op.getResultType();
  return llvm::any_of(op.getReassociationIndices(),
                      [&](ArrayRef<int64_t> dims) {
                        return llvm::count_if(dims, [&](int64_t dim) {
                                 return type.isDynamicDim(dim);
                               }) > 1;
                      });
}

static void lower(memref::ExpandShapeOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto source = memref::ExtractStridedMetadataOp::create(b, loc, op.getSrc());
  auto [known, knownOffset] = op.getResultType().getStridesAndOffset();
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  SmallVector<OpFoldResult> strides(sizes.size());
  for (auto [from, dims] : llvm::enumerate(op.getReassociationIndices())) {
    // Dims lie in each other, the last one as the dim that was split.
    Value stride = source.getStrides()[from];
    for (int64_t dim : llvm::reverse(dims)) {
      strides[dim] = ShapedType::isDynamic(known[dim])
                         ? OpFoldResult(stride)
                         : OpFoldResult(b.getIndexAttr(known[dim]));
      stride = b.createOrFold<arith::MulIOp>(
          loc, stride, getValueOrCreateConstantIndexOp(b, loc, sizes[dim]));
    }
  }
  OpFoldResult offset = ShapedType::isDynamic(knownOffset)
                            ? OpFoldResult(source.getOffset())
                            : OpFoldResult(b.getIndexAttr(knownOffset));
  Value made = memref::ReinterpretCastOp::create(b, loc, op.getResultType(),
                                                 source.getBaseBuffer(), offset,
                                                 sizes, strides);
  op.replaceAllUsesWith(made);
  op.erase();
}

namespace {

struct SplitDimsPass : mixattn::impl::SplitDimsPassBase<SplitDimsPass> {
  void runOnOperation() override {
    SmallVector<memref::ExpandShapeOp> found;
    getOperation()->walk([&](memref::ExpandShapeOp op) {
      if (hasManyOpenDims(op))
        found.push_back(op);
    });
    llvm::for_each(found, lower);
  }
};

} // namespace
