// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in scratch memory, rows of lanes, loops.

#include "passes/schedule/x86/TileBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

Value TileBuilder::takeTile(int64_t rows) {
  auto type = MemRefType::get({rows, sizes.width}, b.getF32Type());
  Value tile = memref::ViewOp::create(b, type, scratch, at.value(scratchUsed),
                                      ValueRange());
  scratchUsed += bytesOf(rows);
  return tile;
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
  SmallVector<OpFoldResult> extents = {b.getIndexAttr(rows),
                                       b.getIndexAttr(sizes.width)};
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

Value TileBuilder::larger(Value x, Value y) {
  Value isLarger = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, y);
  return arith::SelectOp::create(b, isLarger, x, y);
}
