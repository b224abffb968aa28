// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of lanes, loops, numbers.

#include "passes/schedule/x86/shared/TileCode.h"
#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

Value TileCode::rowsOf(Value tile, Value row, int64_t rows) {
  OpFoldResult one = b.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets = {row, b.getIndexAttr(0)};
  int64_t width = cast<MemRefType>(tile.getType()).getDimSize(1);
  SmallVector<OpFoldResult> extents = {b.getIndexAttr(rows),
                                       b.getIndexAttr(width)};
  SmallVector<OpFoldResult> strides = {one, one};
  return memref::SubViewOp::create(b, tile, offsets, extents, strides);
}

void TileCode::emitLoop(Value from, Value to, int64_t step,
                        function_ref<void(Value)> inside) {
  auto loop = scf::ForOp::create(b, from, to, at.value(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  inside(loop.getInductionVar());
}

Value TileCode::splat(double number) {
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(rowType(), float(number)));
}

Value TileCode::load(Value tile, Value row, Value lane) {
  Type element = cast<MemRefType>(tile.getType()).getElementType();
  Value lanes = vector::LoadOp::create(b, rowType().clone(element), tile,
                                       ValueRange{row, lane});
  return element.isF16()
             ? arith::ExtFOp::create(b, rowType(), lanes).getResult()
             : lanes;
}

void TileCode::store(Value value, Value tile, Value row, Value lane) {
  Type element = cast<MemRefType>(tile.getType()).getElementType();
  if (getElementTypeOrSelf(value.getType()) != element)
    value = arith::TruncFOp::create(b, rowType().clone(element), value);
  vector::StoreOp::create(b, value, tile, ValueRange{row, lane});
}

Value TileCode::loadSome(Value buffer, ValueRange place, Value count) {
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

void TileCode::storePair(Value first, Value second, Value tile, Value pair,
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

std::pair<Value, Value> TileCode::loadPair(Value tile, Value pair, Value lane) {
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

Value TileCode::larger(Value x, Value y) {
  Value isLarger = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, y);
  return arith::SelectOp::create(b, isLarger, x, y);
}

void TileCode::emitPrefetch(Value matrix, Value row, Value column,
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

Softmax TileCode::softmax() {
  return Softmax(b, [](ImplicitLocOpBuilder &b, Value exponent) -> Value {
    return tile::Exp2Op::create(b, exponent);
  });
}
