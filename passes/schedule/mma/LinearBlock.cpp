// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of linear attention: features, values and states as tiles.

#include "passes/schedule/mma/LinearBlock.h"

#include "passes/schedule/gpu/FragmentMap.h"
#include "passes/schedule/mma/Halves.h"

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

LinearBlock::Halves LinearBlock::takeTile(int64_t panels, int64_t columns) {
  auto take = [&] {
    return takeNumbers(panels * chunk, columns, b.getBF16Type());
  };
  Value high = take();
  return {high, take()};
}

Value LinearBlock::takeSharedNumbers(FeatureNumbers &features, int64_t count) {
  Type element = features.getSharedType();
  return element ? takeNumbers(count, chunk, element) : Value();
}

LinearBlock::Halves LinearBlock::rowsOf(const Halves &tile, int64_t first,
                                        int64_t count) {
  auto rows = [&](Value half) -> Value {
    if (!half)
      return {};
    auto type = cast<tile::SharedType>(half.getType());
    if (type.getRows() == count)
      return half;
    auto own = tile::SharedType::getPadded(count, type.getColumns(),
                                           type.getElementType());
    return tile::SharedRowsOp::create(b, own, half, at.value(first));
  };
  return {rows(tile.high), rows(tile.low), rows(tile.more)};
}

/// The upper half of the bits of `number`, and the rest: exact. An infinity has
/// no rest, which would be NaN.
std::pair<Value, Value> LinearBlock::splitInHalves(Value number) {
  Value high = emitUpperHalf(b, number);
  Value rest = arith::SubFOp::create(b, number, high);
  Value isExact =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, number, high);
  return {high, arith::SelectOp::create(b, isExact, this->number(0), rest)};
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

void LinearBlock::emitNumbers(const Halves &tile, Numbers numbers,
                              int64_t columns) {
  auto type = cast<tile::SharedType>(tile.high.getType());
  int64_t groups = type.getColumns() / columns;
  forEach(thread, at.value(type.getRows() * groups), LinearSizes::threads,
          [&](Value element) {
            Value row = at.div(element, groups);
            Value first = at.mul(at.rem(element, groups), columns);
            Values highs, lows;
            for (Value number : numbers(row, first)) {
              auto [high, low] = splitInHalves(number);
              highs.push_back(high);
              lows.push_back(low);
            }
            for (const auto &[half, own] :
                 {std::pair(tile.high, highs), std::pair(tile.low, lows)})
              writeRow(own, half, row, first);
          });
}

void LinearBlock::emitPanel(const Halves &panel, Value fragment) {
  map(fragment, 1, [&](Value row, Value column, ValueRange elements) -> Values {
    auto [high, low] = splitInHalves(elements[0]);
    for (auto [half, own] :
         {std::pair(panel.high, high), std::pair(panel.low, low)})
      tile::SharedWriteOp::create(
          b, arith::TruncFOp::create(b, b.getBF16Type(), own), half, row,
          column);
    return {elements[0]};
  });
}

void LinearBlock::emitFeatures(const Halves &tile, Value count, bool pointwise,
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

/// Columns of a fragment follow one another, so that those of `more` are its
/// last elements.
Value LinearBlock::emitProduct(const Halves &left, bool isTurned,
                               const Halves &right, bool isTransposed,
                               Value sum) {
  if (right.more) {
    int64_t all = cast<VectorType>(sum.getType()).getDimSize(0),
            first = all - LinearSizes::ones / 2;
    Values elements;
    for (auto [begin, end, high] : {std::tuple(int64_t(0), first, right.high),
                                    std::tuple(first, all, right.more)}) {
      Values own;
      for (int64_t i = begin; i < end; ++i)
        own.push_back(vector::ExtractOp::create(b, sum, i));
      Value part = vector::FromElementsOp::create(
          b, VectorType::get({end - begin}, b.getF32Type()), own);
      part = emitProduct(left, isTurned, {high, {}, {}}, isTransposed, part);
      for (int64_t i = begin; i < end; ++i)
        elements.push_back(vector::ExtractOp::create(b, part, i - begin));
    }
    return vector::FromElementsOp::create(b, sum.getType(), elements);
  }
  auto add = [&](Value own, Value other) {
    sum = tile::MmaProductOp::create(
              b, sum.getType(), isTurned ? b.getUnitAttr() : UnitAttr(), own,
              other, isTransposed ? b.getUnitAttr() : UnitAttr(), sum)
              .getResult(0);
  };
  // The small terms first.
  add(left.low, right.high);
  if (right.low)
    add(left.high, right.low);
  add(left.high, right.high);
  return sum;
}

LinearBlock::Halves LinearBlock::asOperands(Value fragment) {
  Values halves = map(fragment, 2, [&](Value, Value, ValueRange elements) {
    auto [high, low] = splitInHalves(elements[0]);
    return Values{high, low};
  });
  auto type = VectorType::get(cast<VectorType>(fragment.getType()).getShape(),
                              b.getBF16Type());
  return {tile::ToOperandOp::create(b, type, halves[0]),
          tile::ToOperandOp::create(b, type, halves[1])};
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

/// Of what is in `more`, the first column is 1, the others are 0.
Value LinearBlock::numberAt(const Halves &tile, Value row, Value column) {
  if (!tile.more)
    return arith::AddFOp::create(b, readTile(tile.high, row, column),
                                 readTile(tile.low, row, column));
  auto own = numberIf(isBelow(column, at.value(sizes.columns)), b.getF32Type(),
                      [&] { return readTile(tile.high, row, column); });
  Value isOne = at.compare(arith::CmpIPredicate::eq, column, sizes.columns);
  return arith::SelectOp::create(b, isOne, number(1), own);
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
