// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of elements in a GPU's memory.

#include "passes/lower/gpu/DeviceBuffers.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

bool mixattn::isOnDevice(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  if (auto part = dyn_cast_if_present<memref::SubViewOp>(op))
    return part.hasUnitStride() && isOnDevice(part.getSource());
  if (auto cast = dyn_cast_if_present<memref::CastOp>(op))
    return isOnDevice(cast.getSource());
  return isa_and_present<tile::DeviceBufferOp>(op);
}

bool mixattn::isRow(Value value) {
  auto buffer = dyn_cast<MemRefType>(value.getType());
  return !buffer || isOnDevice(value);
}

int64_t mixattn::bytesDividingRows(Value matrix, int64_t most) {
  MemRefType type = typeOf(matrix);
  int64_t columns = type.getShape().back();
  int64_t bits = type.getElementTypeBitWidth();
  int64_t bytes = (ShapedType::isDynamic(columns) ? 1 : columns) * bits / 8;
  most = std::min(most, bytes & -bytes);
  Operation *op = matrix.getDefiningOp();
  if (auto part = dyn_cast_if_present<memref::SubViewOp>(op))
    return bytesDividingRows(part.getSource(), most);
  if (auto cast = dyn_cast_if_present<memref::CastOp>(op))
    return bytesDividingRows(cast.getSource(), most);
  return most;
}

int64_t mixattn::bytesOfPiece(VectorType type) {
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

/// The index in `buffer` itself of the element `indices` of the part `view`.
static SmallVector<Value> indicesInSource(ImplicitLocOpBuilder &b,
                                          memref::SubViewOp view,
                                          ValueRange indices) {
  llvm::SmallBitVector dropped = view.getDroppedDims();
  SmallVector<Value> inSource;
  size_t next = 0;
  for (auto [dim, mixed] : llvm::enumerate(view.getMixedOffsets())) {
    Value offset = getValueOrCreateConstantIndexOp(b, b.getLoc(), mixed);
    inSource.push_back(
        dropped[dim] ? offset
                     : b.createOrFold<arith::AddIOp>(offset, indices[next++]));
  }
  return inSource;
}

namespace {

/// Emits offsets in one buffer that a kernel was given.
class DeviceBuffer {
public:
  DeviceBuffer(ImplicitLocOpBuilder &b, tile::DeviceBufferOp op)
      : b(b), op(op), type(typeOf(op.getBuffer())) {}

  Value emitAddress(ValueRange indices);
  /// The stride of `dim` in bytes, an i64.
  Value emitStride(int64_t dim);

private:
  /// `pointer` moved by the offsets of the dims from `first` to before `end`.
  Value emitMoved(Value pointer, ValueRange indices, int64_t first,
                  int64_t end);
  Value number(int64_t value) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  }

  ImplicitLocOpBuilder &b;
  tile::DeviceBufferOp op;
  MemRefType type;
};

} // namespace

Value DeviceBuffer::emitStride(int64_t dim) {
  auto [strides, offset] = type.getStridesAndOffset();
  Value bytes = number(type.getElementTypeBitWidth() / 8);
  if (!ShapedType::isDynamic(strides[dim]))
    return b.createOrFold<arith::MulIOp>(number(strides[dim]), bytes);
  auto before = ArrayRef<int64_t>(strides).take_front(dim);
  Value own = op.getStrides()[llvm::count_if(before, ShapedType::isDynamic)];
  return b.createOrFold<arith::MulIOp>(own, bytes);
}

Value DeviceBuffer::emitMoved(Value pointer, ValueRange indices, int64_t first,
                              int64_t end) {
  Value sum;
  for (int64_t dim = first; dim < end; ++dim) {
    Value index =
        b.createOrFold<arith::IndexCastOp>(b.getI64Type(), indices[dim]);
    Value offset = b.createOrFold<arith::MulIOp>(index, emitStride(dim));
    sum = sum ? b.createOrFold<arith::AddIOp>(sum, offset) : offset;
  }
  if (!sum)
    return pointer;
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                             ValueRange(sum));
}

Value DeviceBuffer::emitAddress(ValueRange indices) {
  int64_t rank = type.getRank(), leading = std::max<int64_t>(rank - 2, 0);
  Value matrix = emitMoved(op.getPointer(), indices, 0, leading);
  return emitMoved(matrix, indices, leading, rank);
}

Value mixattn::emitDeviceAddress(ImplicitLocOpBuilder &b, Value buffer,
                                 ValueRange indices) {
  Operation *op = buffer.getDefiningOp();
  if (auto view = dyn_cast_if_present<memref::SubViewOp>(op))
    return emitDeviceAddress(b, view.getSource(),
                             indicesInSource(b, view, indices));
  if (auto cast = dyn_cast_if_present<memref::CastOp>(op))
    return emitDeviceAddress(b, cast.getSource(), indices);
  return DeviceBuffer(b, cast<tile::DeviceBufferOp>(op)).emitAddress(indices);
}

Value mixattn::emitDeviceStride(ImplicitLocOpBuilder &b, Value buffer,
                                int64_t dim) {
  Operation *op = buffer.getDefiningOp();
  if (auto view = dyn_cast_if_present<memref::SubViewOp>(op)) {
    llvm::SmallBitVector dropped = view.getDroppedDims();
    int64_t inSource = dropped.find_first_unset();
    for (; dim > 0; --dim)
      inSource = dropped.find_next_unset(inSource);
    return emitDeviceStride(b, view.getSource(), inSource);
  }
  if (auto cast = dyn_cast_if_present<memref::CastOp>(op))
    return emitDeviceStride(b, cast.getSource(), dim);
  return DeviceBuffer(b, cast<tile::DeviceBufferOp>(op)).emitStride(dim);
}

namespace {

/// A size of what a kernel was given  ->  its operand
struct SizeOfBuffer : OpRewritePattern<memref::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::DimOp op,
                                PatternRewriter &rewriter) const override {
    auto buffer = op.getSource().getDefiningOp<tile::DeviceBufferOp>();
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!buffer || !dim)
      return failure();
    MemRefType type = typeOf(op.getSource());
    if (!type.isDynamicDim(*dim))
      return failure();
    rewriter.replaceOp(op, buffer.getSizes()[type.getDynamicDimIndex(*dim)]);
    return success();
  }
};

/// vector.load  ->  the same at an address, which the number of its bytes
/// divides
struct PieceOfBuffer : OpRewritePattern<vector::LoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::LoadOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOnDevice(op.getBase()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value address = emitDeviceAddress(b, op.getBase(), op.getIndices());
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, op.getType(), address,
                                              bytesOfPiece(op.getVectorType()));
    return success();
  }
};

/// vector.store  ->  the same
struct StoreOfPiece : OpRewritePattern<vector::StoreOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::StoreOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOnDevice(op.getBase()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value address = emitDeviceAddress(b, op.getBase(), op.getIndices());
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(
        op, op.getValueToStore(), address, bytesOfPiece(op.getVectorType()));
    return success();
  }
};

/// memref.load, memref.store  ->  the same at an address
template <typename Op> struct AccessOfBuffer : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isOnDevice(op.getMemRef()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value address = emitDeviceAddress(b, op.getMemRef(), op.getIndices());
    if constexpr (std::is_same_v<Op, memref::LoadOp>)
      rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, op.getType(), address);
    else
      rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, op.getValue(), address);
    return success();
  }
};

} // namespace

void mixattn::populateDeviceBuffers(RewritePatternSet &patterns) {
  patterns.add<SizeOfBuffer, PieceOfBuffer, StoreOfPiece,
               AccessOfBuffer<memref::LoadOp>, AccessOfBuffer<memref::StoreOp>>(
      patterns.getContext());
}
