// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of elements in a GPU's memory.

#include "passes/lower/gpu/DeviceBuffers.h"

#include "dialect/tile/TileOps.h"
#include "passes/body/IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mixattn;

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

/// The buffer that `buffer` is a view of, or null. A part of the workspace is a
/// buffer of its own.
static Value sourceOfView(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  bool isView =
      isa_and_present<memref::SubViewOp, memref::CastOp, memref::ExpandShapeOp,
                      memref::CollapseShapeOp>(op);
  return isView ? op->getOperand(0) : Value();
}

bool mixattn::isOnDevice(Value buffer) {
  if (Value source = sourceOfView(buffer))
    return isOnDevice(source);
  return isa_and_present<tile::DeviceBufferOp>(buffer.getDefiningOp());
}

bool mixattn::isRow(Value value) {
  auto buffer = dyn_cast<MemRefType>(value.getType());
  if (!buffer)
    return true;
  SmallVector<int64_t> strides = buffer.getStridesAndOffset().first;
  return isOnDevice(value) && (strides.empty() || strides.back() == 1 ||
                               buffer.getShape().back() == 1);
}

/// The largest power of two up to `most` that divides `number` for certain.
static int64_t powerOfTwoIn(Value number, int64_t most) {
  if (std::optional<int64_t> known = getConstantIntValue(number))
    return *known ? std::min(most, *known & -*known) : most;
  auto inOperand = [&](unsigned i) {
    return powerOfTwoIn(number.getDefiningOp()->getOperand(i), most);
  };
  Operation *op = number.getDefiningOp();
  if (isa_and_present<arith::MulIOp>(op))
    return std::min(most, inOperand(0) * inOperand(1));
  if (isa_and_present<arith::AddIOp, arith::SubIOp, arith::MinSIOp,
                      arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>(op))
    return std::min(inOperand(0), inOperand(1));
  return 1;
}

/// The same of bytes that `number` elements of `buffer` have.
static int64_t bytesDividing(OpFoldResult number, Value buffer, int64_t most) {
  int64_t element = std::max(1u, typeOf(buffer).getElementTypeBitWidth() / 8);
  if (auto value = dyn_cast<Value>(number))
    return std::min(most, element * powerOfTwoIn(value, most));
  int64_t bytes = element * *getConstantIntValue(number);
  return bytes ? std::min(most, bytes & -bytes) : most;
}

/// The bytes, `most` at most and a power of two, that divide the offsets at
/// which parts begin in the rows of what they are parts of, from `matrix` on.
static int64_t bytesDividingBegin(Value matrix, int64_t most) {
  Value source = sourceOfView(matrix);
  if (!source)
    return most;
  if (auto part = matrix.getDefiningOp<memref::SubViewOp>())
    if (part.getSourceType().getRank())
      most = bytesDividing(part.getMixedOffsets().back(), matrix, most);
  return bytesDividingBegin(source, most);
}

int64_t mixattn::bytesDividingRows(Value matrix, int64_t most) {
  most = bytesDividingBegin(matrix, most);
  for (; matrix; matrix = sourceOfView(matrix)) {
    ArrayRef<int64_t> shape = typeOf(matrix).getShape();
    int64_t columns = shape.empty() ? 1 : shape.back();
    most = bytesDividing(
        OpBuilder(matrix.getContext())
            .getIndexAttr(ShapedType::isDynamic(columns) ? 1 : columns),
        matrix, most);
  }
  return most;
}

int64_t mixattn::alignmentOfPiece(Value matrix, VectorType type) {
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  return typeOf(matrix).getRank() > 1 ? bytesDividingRows(matrix, bytes)
                                      : bytesDividingBegin(matrix, bytes);
}

/// The index in `buffer` itself of the element `indices` of the part `view`.
static SmallVector<Value> indicesInSource(ImplicitLocOpBuilder &b,
                                          memref::SubViewOp view,
                                          ValueRange indices) {
  IndexMath at(b);
  llvm::SmallBitVector dropped = view.getDroppedDims();
  SmallVector<Value> inSource;
  size_t next = 0;
  for (auto [dim, mixed, step] :
       llvm::enumerate(view.getMixedOffsets(), view.getMixedStrides())) {
    Value offset = at.value(mixed);
    inSource.push_back(
        dropped[dim] ? offset
                     : at.add(offset, at.mul(indices[next++], at.value(step))));
  }
  return inSource;
}

namespace {

/// Where the elements of a buffer lie: the first one, and the bytes from one to
/// the next along each dim, i64.
struct Layout {
  Value pointer;
  SmallVector<Value> strides;
};

/// Emits where elements lie: of what a kernel was given, and of any view of a
/// view of it.
class LayoutEmitter {
public:
  explicit LayoutEmitter(ImplicitLocOpBuilder &b) : b(b) {}

  Layout emit(Value buffer) {
    return TypeSwitch<Operation *, Layout>(buffer.getDefiningOp())
        .Case<tile::DeviceBufferOp, memref::SubViewOp, memref::CastOp,
              memref::ExpandShapeOp, memref::CollapseShapeOp>(
            [&](auto op) { return emit(op); });
  }
  Value emitAddress(const Layout &layout, ValueRange indices);

private:
  Layout emit(tile::DeviceBufferOp op);
  Layout emit(memref::CastOp op) { return emit(op.getSource()); }
  Layout emit(memref::SubViewOp op);
  Layout emit(memref::ExpandShapeOp op);
  Layout emit(memref::CollapseShapeOp op);
  /// `pointer` moved by `indices` along as many dims of `strides`.
  Value emitMoved(Value pointer, ValueRange indices, ValueRange strides);
  Value number(int64_t value) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  }
  Value times(Value stride, OpFoldResult number) {
    Value value = getValueOrCreateConstantIndexOp(b, b.getLoc(), number);
    return b.createOrFold<arith::MulIOp>(
        stride, b.createOrFold<arith::IndexCastOp>(b.getI64Type(), value));
  }

  ImplicitLocOpBuilder &b;
};

} // namespace

Value LayoutEmitter::emitMoved(Value pointer, ValueRange indices,
                               ValueRange strides) {
  Value sum;
  for (auto [each, stride] : llvm::zip_equal(indices, strides)) {
    Value index = b.createOrFold<arith::IndexCastOp>(b.getI64Type(), each);
    Value offset = b.createOrFold<arith::MulIOp>(index, stride);
    sum = sum ? b.createOrFold<arith::AddIOp>(sum, offset) : offset;
  }
  if (!sum)
    return pointer;
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                             ValueRange(sum));
}

Value LayoutEmitter::emitAddress(const Layout &layout, ValueRange indices) {
  size_t leading = std::max<int64_t>(int64_t(indices.size()) - 2, 0);
  ValueRange strides(layout.strides);
  Value matrix = emitMoved(layout.pointer, indices.take_front(leading),
                           strides.take_front(leading));
  return emitMoved(matrix, indices.drop_front(leading),
                   strides.drop_front(leading));
}

Layout LayoutEmitter::emit(tile::DeviceBufferOp op) {
  MemRefType type = typeOf(op.getBuffer());
  // A truth value is a byte.
  Value bytes = number(std::max(1u, type.getElementTypeBitWidth() / 8));
  Layout layout{op.getPointer(), {}};
  auto open = op.getStrides().begin();
  for (int64_t stride : type.getStridesAndOffset().first)
    layout.strides.push_back(b.createOrFold<arith::MulIOp>(
        ShapedType::isDynamic(stride) ? *open++ : number(stride), bytes));
  return layout;
}

Layout LayoutEmitter::emit(memref::SubViewOp op) {
  Layout source = emit(op.getSource());
  SmallVector<Value> offsets;
  for (OpFoldResult offset : op.getMixedOffsets())
    offsets.push_back(getValueOrCreateConstantIndexOp(b, b.getLoc(), offset));
  Layout layout{emitMoved(source.pointer, offsets, source.strides), {}};
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [dim, step] : llvm::enumerate(op.getMixedStrides()))
    if (!dropped[dim])
      layout.strides.push_back(times(source.strides[dim], step));
  return layout;
}

Layout LayoutEmitter::emit(memref::ExpandShapeOp op) {
  Layout source = emit(op.getSrc());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  // Of what has no dims, all are one.
  Layout layout{source.pointer, SmallVector<Value>(sizes.size(), number(0))};
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    Value stride = source.strides[dim];
    for (int64_t each : llvm::reverse(group)) {
      layout.strides[each] = stride;
      if (each != group.front())
        stride = times(stride, sizes[each]);
    }
  }
  return layout;
}

/// Elements of dims that are one follow each other: how far they are apart is
/// said by the innermost one that has more than one.
Layout LayoutEmitter::emit(memref::CollapseShapeOp op) {
  Layout source = emit(op.getSrc());
  Layout layout{source.pointer, {}};
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    auto several = llvm::find_if(llvm::reverse(group), [&](int64_t dim) {
      return op.getSrcType().getDimSize(dim) != 1;
    });
    bool isOne = several == group.rend();
    layout.strides.push_back(source.strides[isOne ? group.back() : *several]);
  }
  return layout;
}

Value mixattn::emitDeviceAddress(ImplicitLocOpBuilder &b, Value buffer,
                                 ValueRange indices) {
  Operation *op = buffer.getDefiningOp();
  // Offsets are added to indices, of 32 bits each, before these are multiplied:
  // a pointer to the part would take two registers more.
  if (auto view = dyn_cast_if_present<memref::SubViewOp>(op))
    return emitDeviceAddress(b, view.getSource(),
                             indicesInSource(b, view, indices));
  if (auto cast = dyn_cast_if_present<memref::CastOp>(op))
    return emitDeviceAddress(b, cast.getSource(), indices);
  LayoutEmitter layout(b);
  return layout.emitAddress(layout.emit(buffer), indices);
}

Value mixattn::emitDeviceStride(ImplicitLocOpBuilder &b, Value buffer,
                                int64_t dim) {
  return LayoutEmitter(b).emit(buffer).strides[dim];
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

/// The bytes that divide the address of a piece of a row.
template <typename Op> int64_t alignmentOf(Op op) {
  return alignmentOfPiece(op.getBase(), op.getVectorType());
}

/// vector.load  ->  the same at an address, which the number of its bytes
/// divides, or what rows and offsets of parts have
struct PieceOfBuffer : OpRewritePattern<vector::LoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::LoadOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOnDevice(op.getBase()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value address = emitDeviceAddress(b, op.getBase(), op.getIndices());
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, op.getType(), address,
                                              alignmentOf(op));
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
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, op.getValueToStore(),
                                               address, alignmentOf(op));
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
