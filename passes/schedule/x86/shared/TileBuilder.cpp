// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in scratch memory, rows of lanes, loops.

#include "passes/schedule/x86/shared/TileBuilder.h"
#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

Value TileBuilder::take(MemRefType type) {
  int64_t begin = scratchUsed;
  scratchUsed += type.getNumElements() * type.getElementTypeBitWidth() / 8;
  if (!scratch)
    return {};
  return memref::ViewOp::create(b, type, scratch, at.value(begin),
                                ValueRange());
}

Value TileBuilder::takeTile(int64_t rows) {
  return take(MemRefType::get({rows, sizes.width}, b.getF32Type()));
}

Value TileBuilder::takePairs(int64_t rows) {
  return take(
      MemRefType::get({(rows + 1) / 2, 2 * sizes.width}, b.getBF16Type()));
}

Value TileBuilder::takeMatrix(int64_t rows, int64_t columns, Type element) {
  return take(
      MemRefType::get({rows, columns}, element ? element : b.getF32Type()));
}

Value TileBuilder::takeRest(Value rows) {
  auto type =
      MemRefType::get({ShapedType::kDynamic, sizes.width}, b.getF32Type());
  return memref::ViewOp::create(b, type, scratch, at.value(scratchUsed),
                                ValueRange{rows});
}

Value TileBuilder::rowsOf(Value tile, Value row, int64_t rows) {
  OpFoldResult one = b.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets = {row, b.getIndexAttr(0)};
  int64_t width = cast<MemRefType>(tile.getType()).getDimSize(1);
  SmallVector<OpFoldResult> extents = {b.getIndexAttr(rows),
                                       b.getIndexAttr(width)};
  SmallVector<OpFoldResult> strides = {one, one};
  return memref::SubViewOp::create(b, tile, offsets, extents, strides);
}

void TileBuilder::emitLoop(Value from, Value to, int64_t step,
                           function_ref<void(Value)> inside) {
  auto loop = scf::ForOp::create(b, from, to, at.value(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  inside(loop.getInductionVar());
}

Value TileBuilder::splat(double number) {
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(rowType(), float(number)));
}

Value TileBuilder::load(Value tile, Value row, Value lane) {
  return vector::LoadOp::create(b, rowType(), tile, ValueRange{row, lane});
}

void TileBuilder::store(Value value, Value tile, Value row, Value lane) {
  vector::StoreOp::create(b, value, tile, ValueRange{row, lane});
}

Value TileBuilder::loadSome(Value buffer, ValueRange place, Value count) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = VectorType::get({sizes.lanes}, element);
  Value isThere = vector::CreateMaskOp::create(
      b, VectorType::get({sizes.lanes}, b.getI1Type()), count);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value lanes =
      vector::MaskedLoadOp::create(b, type, buffer, place, isThere, zero);
  return element.isF32() ? lanes : arith::ExtFOp::create(b, rowType(), lanes);
}

/// A row of `number` in every lane.
static Value splatBits(ImplicitLocOpBuilder &b, VectorType bits,
                       uint32_t number) {
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(bits, APInt(32, number)));
}

void TileBuilder::storePair(Value first, Value second, Value tile, Value pair,
                            Value lane) {
  auto bits = rowType().clone(b.getI32Type());
  // Half of the last place that stays is added; what lies beyond goes: no
  // conversion, and no shuffle to interleave two of them.
  auto rounded = [&](Value value) -> Value {
    Value number = arith::BitcastOp::create(b, bits, value);
    return arith::AddIOp::create(b, number, splatBits(b, bits, 0x8000));
  };
  Value low = arith::ShRUIOp::create(b, rounded(first), splatBits(b, bits, 16));
  Value high =
      arith::AndIOp::create(b, rounded(second), splatBits(b, bits, 0xffff0000));
  Value both = vector::BitCastOp::create(
      b, VectorType::get({2 * sizes.lanes}, b.getBF16Type()),
      arith::OrIOp::create(b, low, high).getResult());
  vector::StoreOp::create(b, both, tile, ValueRange{pair, at.mul(lane, 2)});
}

std::pair<Value, Value> TileBuilder::loadPair(Value tile, Value pair,
                                              Value lane) {
  auto bits = rowType().clone(b.getI32Type());
  Value both = vector::BitCastOp::create(
      b, bits,
      vector::LoadOp::create(
          b, VectorType::get({2 * sizes.lanes}, b.getBF16Type()), tile,
          ValueRange{pair, at.mul(lane, 2)})
          .getResult());
  Value low = arith::ShLIOp::create(b, both, splatBits(b, bits, 16));
  Value high = arith::AndIOp::create(b, both, splatBits(b, bits, 0xffff0000));
  return {arith::BitcastOp::create(b, rowType(), low),
          arith::BitcastOp::create(b, rowType(), high)};
}

Value TileBuilder::larger(Value x, Value y) {
  Value isLarger = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, y);
  return arith::SelectOp::create(b, isLarger, x, y);
}

void TileBuilder::emitPrefetch(Value matrix, Value row, Value column,
                               int64_t columns, bool isWrite) {
  constexpr int64_t lineBits = 512;
  Type element = cast<MemRefType>(matrix.getType()).getElementType();
  int64_t perLine = lineBits / element.getIntOrFloatBitWidth();
  forEach(0, columns, perLine, [&](Value next) {
    memref::PrefetchOp::create(b, matrix, ValueRange{row, at.add(column, next)},
                               isWrite, /*localityHint=*/3,
                               /*isDataCache=*/true);
  });
}

Softmax TileBuilder::softmax() {
  return Softmax(b, [](ImplicitLocOpBuilder &b, Value exponent) -> Value {
    return tile::Exp2Op::create(b, exponent);
  });
}
