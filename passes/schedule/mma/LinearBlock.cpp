// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of linear attention: features, values and states as tiles.

#include "passes/schedule/mma/LinearBlock.h"

#include "passes/schedule/gpu/FragmentMap.h"

#include "passes/body/NeverUnroll.h"
#include "passes/body/ScoreBody.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

static constexpr int64_t chunk = LinearSizes::chunk;

void LinearBlock::emitItem(tile::GridOp grid) {
  b.setInsertionPointToStart(&grid.getBody().front());
  thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  head = at.div(grid.getItem()[1], sizes.columnBlocks());
  firstColumn =
      at.mul(at.rem(grid.getItem()[1], sizes.columnBlocks()), sizes.columns);
  batch = grid.getItem()[2];
}

Value LinearBlock::takeNumbers(int64_t rows, int64_t columns, Type element) {
  auto type = tile::SharedType::getPadded(rows, columns, element);
  Value tile = tile::SharedTileOp::create(b, type, taken);
  taken += int64_t(llvm::alignTo(type.getBytes(), 16));
  return tile;
}

Value LinearBlock::takeSharedNumbers(FeatureNumbers &features, int64_t count) {
  Type element = features.getSharedType();
  return element ? takeNumbers(count, chunk, element) : Value();
}

Value LinearBlock::takeRows(Value operand, int64_t matrices) {
  auto type = cast<RankedTensorType>(operand.getType());
  return takeNumbers(matrices * chunk, LinearSizes::copiedColumns(type),
                     type.getElementType());
}

void LinearBlock::beginCopy(Value matrix, Value first, Value end, Value tile,
                            int64_t place) {
  auto type = cast<tile::SharedType>(tile.getType());
  auto own = tile::SharedType::getPadded(chunk, type.getColumns(),
                                         type.getElementType());
  if (type != own)
    tile = tile::SharedRowsOp::create(b, own, tile, at.value(place));
  tile::MmaCopyOp::create(b, matrix, first, end, tile, LinearSizes::threads);
}

Value LinearBlock::readTile(Value tile, Value row, Value column) {
  Type element = cast<tile::SharedType>(tile.getType()).getElementType();
  Value number = tile::SharedReadOp::create(b, element, tile, row, column);
  return toF32(b, b.getLoc(), number);
}

void LinearBlock::writeRow(ValueRange numbers, Value tile, Value row,
                           Value column) {
  auto count = int64_t(numbers.size());
  Value all = vector::FromElementsOp::create(
      b, VectorType::get(count, b.getF32Type()), numbers);
  Value rounded =
      arith::TruncFOp::create(b, VectorType::get(count, b.getBF16Type()), all);
  tile::SharedWriteRowOp::create(b, rounded, tile, row, column);
}

void LinearBlock::emitNumbers(const Parts &tile, Numbers numbers,
                              int64_t columns) {
  auto type = cast<tile::SharedType>(tile.high.getType());
  int64_t groups = type.getColumns() / columns;
  forEach(thread, at.value(type.getRows() * groups), LinearSizes::threads,
          [&](Value element) {
            Value row = at.div(element, groups);
            Value first = at.mul(at.rem(element, groups), columns);
            Values parts = tile.all();
            SmallVector<Values> rows(parts.size());
            for (Value number : numbers(row, first))
              for (auto [own, part] :
                   llvm::zip_equal(rows, splitInParts(number, parts.size())))
                own.push_back(part);
            for (auto [part, own] : llvm::zip_equal(parts, rows))
              writeRow(own, part, row, first);
          });
}

void LinearBlock::emitFeatures(const Parts &tile, Value count, bool pointwise,
                               Features features) {
  // Groups that features fill are made or not as a whole.
  bool isWhole = pointwise && sizes.features % LinearSizes::group == 0;
  int64_t columns = isWhole ? LinearSizes::group : 1;
  SmallVector<Type> types(size_t(columns), b.getF32Type());
  auto numbers = [&](Value line, Value column) {
    Value row = at.rem(line, chunk);
    Value own = at.add(at.mul(at.div(line, chunk), chunk), column);
    Value isThere =
        both(isBelow(row, count), isBelow(own, b.getIndexAttr(sizes.features)));
    return numbersIf(isThere, types,
                     [&] { return features(row, own, columns); });
  };
  emitNumbers(tile, numbers, columns);
}

void LinearBlock::emitBarrier() { gpu::BarrierOp::create(b); }

void LinearBlock::emitWaitForStores() {
  NVVM::SyncWarpOp::create(
      b, arith::ConstantOp::create(b, b.getI32IntegerAttr(-1)));
}

Value LinearBlock::emitQuotients(Value sums, const Quotient &quotient) {
  Values last;
  for (int64_t i = 0; i < LinearSizes::ones / 2; ++i)
    last.push_back(vector::ExtractOp::create(b, sums, sizes.columns / 2 + i));
  Value ones = vector::FromElementsOp::create(
      b, VectorType::get({LinearSizes::ones / 2}, b.getF32Type()), last);
  Value sum = tile::JoinSumOp::create(b, tile::RowSumOp::create(b, ones));
  return map({sums, sum}, 1,
             [&](Value, Value, ValueRange elements) -> Values {
               return {emitQuotient(elements[0], elements[1], quotient)};
             })
      .front();
}

Value LinearBlock::emitQuotient(Value sum, Value total,
                                const Quotient &quotient) {
  Value whole = arith::AddFOp::create(b, total, number(quotient.eps));
  Value isZero =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, whole, number(0));
  Value factor = arith::DivFOp::create(b, number(quotient.scale), whole);
  return arith::SelectOp::create(b, isZero, number(0),
                                 arith::MulFOp::create(b, sum, factor));
}

Value LinearBlock::isSomeNaN(Value fragment) {
  Value row = tile::JoinSumOp::create(b, tile::RowSumOp::create(b, fragment));
  return tile::AnyOp::create(
      b, arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, row, row));
}

Value LinearBlock::emitSum(Value end, function_ref<Value(Value)> term) {
  auto loop = scf::ForOp::create(b, at.value(0), end, at.value(1), number(0));
  neverUnroll(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value next = arith::AddFOp::create(b, loop.getRegionIterArg(0),
                                     term(loop.getInductionVar()));
  scf::YieldOp::create(b, next);
  return loop.getResult(0);
}

void LinearBlock::emitRowsAgain(Value results, Value matrix, Value first,
                                Value count, const Quotient &quotient,
                                Number sum) {
  constexpr int64_t lanes = 32, warpRows = 16;
  Type element = cast<MemRefType>(matrix.getType()).getElementType();
  onlyIf(isSomeNaN(results), [&] {
    emitWaitForStores();
    Value begin = at.mul(at.div(thread, lanes), warpRows);
    Value columns = at.min(at.sub(at.value(sizes.valueFeatures), firstColumn),
                           sizes.columns);
    Value end = at.min(at.add(begin, warpRows), count);
    forEach(begin, end, 1, [&](Value row) {
      Value total = sum(row, at.value(sizes.columns));
      forEach(at.rem(thread, lanes), columns, lanes, [&](Value column) {
        Value result = emitQuotient(sum(row, column), total, quotient);
        if (!element.isF32())
          result = arith::TruncFOp::create(b, element, result);
        memref::StoreOp::create(
            b, result, matrix,
            ValueRange{at.add(first, row), at.add(firstColumn, column)});
      });
    });
  });
}

Value LinearBlock::columnsOf(Value matrix) {
  SmallVector<OpFoldResult> offsets = {b.getIndexAttr(0), firstColumn};
  SmallVector<OpFoldResult> extents = {
      memref::getMixedSize(b, b.getLoc(), matrix, 0),
      b.getIndexAttr(sizes.columns)};
  SmallVector<OpFoldResult> steps(2, b.getIndexAttr(1));
  return memref::SubViewOp::create(b, matrix, offsets, extents, steps);
}

/// Where the last block of columns has fewer, and rows may begin anywhere,
/// elements are written one by one.
void LinearBlock::emitStore(Value fragment, Value matrix, Value first,
                            Value rows) {
  auto type = cast<MemRefType>(matrix.getType());
  int64_t all = type.getDimSize(1);
  if (sizes.columnBlocks() == 1) {
    tile::StoreOp::create(b, fragment, matrix, first, rows);
    return;
  }
  if (all % sizes.columns == 0) {
    tile::StoreOp::create(b, fragment, columnsOf(matrix), first, rows);
    return;
  }
  Value end = at.min(at.sub(at.value(all), firstColumn), sizes.columns);
  map(fragment, 1, [&](Value row, Value column, ValueRange elements) -> Values {
    Value own = at.add(first, row);
    onlyIf(both(isBelow(own, rows), isBelow(column, end)), [&] {
      Value element = elements[0];
      if (!type.getElementType().isF32())
        element = arith::TruncFOp::create(b, type.getElementType(), element);
      memref::StoreOp::create(b, element, matrix,
                              ValueRange{own, at.add(firstColumn, column)});
    });
    return {elements[0]};
  });
}

void LinearBlock::forEach(Value begin, Value end, int64_t step,
                          function_ref<void(Value)> inside) {
  auto loop = scf::ForOp::create(b, begin, end, at.value(step));
  neverUnroll(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  inside(loop.getInductionVar());
}

void LinearBlock::onlyIf(Value condition, function_ref<void()> inside) {
  auto choice = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  inside();
}

LinearBlock::Values LinearBlock::numbersIf(Value condition,
                                           ArrayRef<Type> types,
                                           function_ref<Values()> numbers) {
  auto choice = scf::IfOp::create(b, types, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, numbers());
  b.setInsertionPointToStart(choice.elseBlock());
  Values zeros;
  for (Type type : types)
    zeros.push_back(arith::ConstantOp::create(b, b.getFloatAttr(type, 0)));
  scf::YieldOp::create(b, zeros);
  return Values(choice.getResults());
}

LinearBlock::Values LinearBlock::map(
    ValueRange operands, size_t results,
    function_ref<Values(Value row, Value column, ValueRange elements)>
        element) {
  return emitFragmentMap(b, at.value(0), at.value(0), operands, results,
                         element);
}

Value LinearBlock::read(Value operand, ValueRange place) {
  Location loc = b.getLoc();
  return toF32(b, loc, buffers.emitRead(b, loc, operand, place));
}

Value LinearBlock::zeros(int64_t columns) {
  auto type = VectorType::get({columns / 2}, b.getF32Type());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, 0.0f));
}
