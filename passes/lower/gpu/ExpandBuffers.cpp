// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers of kernels with more dims.

#include "passes/lower/gpu/ExpandBuffers.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mixattn;

/// The strides of `buffer` in elements, i64.
static SmallVector<Value> stridesOf(ImplicitLocOpBuilder &b,
                                    tile::DeviceBufferOp buffer) {
  SmallVector<Value> strides;
  auto open = buffer.getStrides().begin();
  for (int64_t stride :
       cast<MemRefType>(buffer.getType()).getStridesAndOffset().first)
    strides.push_back(
        ShapedType::isDynamic(stride)
            ? *open++
            : arith::ConstantOp::create(b, b.getI64IntegerAttr(stride)));
  return strides;
}

static void expand(memref::ExpandShapeOp op, tile::DeviceBufferOp source) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  MemRefType type = op.getResultType();
  SmallVector<int64_t> known = type.getStridesAndOffset().first;
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  SmallVector<Value> open, whole = stridesOf(b, source);
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    SmallVector<Value> strides = {whole[dim]};
    for (int64_t each : llvm::reverse(ArrayRef(group).drop_front())) {
      Value size = arith::IndexCastOp::create(
          b, b.getI64Type(),
          getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[each]));
      strides.push_back(b.createOrFold<arith::MulIOp>(strides.back(), size));
    }
    for (auto [each, stride] : llvm::zip(group, llvm::reverse(strides)))
      if (ShapedType::isDynamic(known[each]))
        open.push_back(stride);
  }
  auto made = tile::DeviceBufferOp::create(b, type, source.getPointer(),
                                           op.getOutputShape(), open);
  op.replaceAllUsesWith(made.getBuffer());
  op.erase();
}

void mixattn::expandBuffers(Region &kernel) {
  // A buffer that is split twice is split in this order.
  SmallVector<memref::ExpandShapeOp> ops;
  kernel.walk([&](memref::ExpandShapeOp op) { ops.push_back(op); });
  for (memref::ExpandShapeOp op : ops)
    if (auto source = op.getSrc().getDefiningOp<tile::DeviceBufferOp>())
      expand(op, source);
}
