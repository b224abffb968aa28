// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a contraction's left side that its kernel holds.

#include "passes/schedule/x86/dense/DenseRows.h"

#include "passes/schedule/x86/dense/Producers.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

/// Bytes of a line of the cache.
static constexpr int64_t lineBytes = 64;

DenseRows::DenseRows(ImplicitLocOpBuilder &b, KernelOp kernel,
                     const Contraction &op, const TileSizes &sizes,
                     DenseTile &shape)
    : TileCode(b, sizes), kernel(kernel), op(op), shape(shape),
      arePairs(DenseTile::arePairsOf(op, sizes)),
      rowDims(areCopied() ? 0 : *countRowDims(op)),
      depth(shape.sizeOf(op.depths)) {
  Value steps = at.div(at.add(depth, tile::amxTerms - 1), tile::amxTerms);
  width = at.mul(steps, tile::amxTerms);
  // A line more: rows of a block lie in other sets of the cache.
  pitch = at.add(width,
                 lineBytes * 8 / int64_t(termType().getIntOrFloatBitWidth()));
}

RowKernel DenseRows::makeKernel() {
  return RowKernel(b, kernel, sizes.lanes, kernel.getProducers(), rowDims);
}

Value DenseRows::countBytes(Value rows) {
  if (areCopied())
    return bytesOf(at.mul(rows, pitch), termType());
  RowKernel code = makeKernel();
  code.hold(cast<OpResult>(op.left), {});
  Value bytes =
      at.add(bytesOf(at.mul(rows, pitch), termType()), code.countScratch());
  return areTerms() ? bytes : at.add(bytes, bytesOf(pitch, madeType()));
}

/// A row of the left side in `memory`, from `begin` bytes on.
Value DenseRows::viewRow(Value memory, Value begin) {
  auto type = cast<RankedTensorType>(op.left.getType());
  SmallVector<Value> open;
  for (auto [i, loop] : llvm::enumerate(op.depths))
    if (type.isDynamicDim(rowDims + i))
      open.push_back(shape.sizeOf({loop}));
  auto row = MemRefType::get(type.getShape().drop_front(rowDims),
                             type.getElementType());
  return memref::ViewOp::create(b, row, memory, begin, open);
}

/// Widens `made`, a row in memory, to row `row` of `matrix`.
void DenseRows::widenRow(Value made, Value matrix, Value row) {
  forEach(0, depth, sizes.lanes, [&](Value term) {
    vector::StoreOp::create(b, loadSome(made, term, at.sub(depth, term)),
                            matrix, ValueRange{row, term});
  });
}

/// Clears what products of pairs, or of AMX, read after the last term.
void DenseRows::clearRest(Value matrix, Value row) {
  int64_t step = DenseTile::isAmxOf(op, sizes) ? tile::amxTerms : 2;
  Value end = at.mul(at.div(at.add(depth, step - 1), step), step);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(termType()));
  forEach(depth, end, 1, [&](Value term) {
    memref::StoreOp::create(b, zero, matrix, ValueRange{row, term});
  });
}

Value DenseRows::emit(const Place &batch, Value firstRow, Value rows,
                      Value room, Value memory, Value begin) {
  std::optional<int64_t> knownPitch = getConstantIntValue(pitch);
  auto type = MemRefType::get(
      {ShapedType::kDynamic, knownPitch.value_or(ShapedType::kDynamic)},
      termType());
  SmallVector<Value> open = {room};
  if (!knownPitch)
    open.push_back(pitch);
  Value matrix = memref::ViewOp::create(b, type, memory, begin, open);
  if (areCopied()) {
    shape.copyLeft(batch, firstRow, rows, width, matrix);
    return matrix;
  }
  // Then a row as it is made, where that is not how products take it, and what
  // the ops hand on.
  Value made = at.add(begin, bytesOf(at.mul(room, pitch), termType()));
  Value rest = areTerms() ? made : at.add(made, bytesOf(pitch, madeType()));
  auto bytes = cast<MemRefType>(memory.getType());
  Value scratch = memref::ViewOp::create(
      b, bytes, memory, rest,
      ValueRange{at.sub(Value(memref::DimOp::create(b, memory, 0)), rest)});
  forEach(0, rows, 1, [&](Value row) {
    Place place = batch;
    shape.split(op.rows, at.add(firstRow, row), place);
    SmallVector<Value> indices;
    for (AffineExpr dim : op.leftMap.getResults().take_front(rowDims))
      indices.push_back(place.lookup(cast<AffineDimExpr>(dim).getPosition()));
    Value to = areTerms()
                   ? at.add(begin, bytesOf(at.mul(row, pitch), termType()))
                   : made;
    RowKernel code = makeKernel();
    code.hold(cast<OpResult>(op.left), viewRow(memory, to));
    code.emit(indices, scratch);
    if (areTerms() && arePairs)
      clearRest(matrix, row);
    if (areTerms())
      return;
    auto flat = MemRefType::get({ShapedType::kDynamic}, madeType());
    widenRow(memref::ViewOp::create(b, flat, memory, made, depth), matrix, row);
  });
  return matrix;
}
