// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of linear attention: features, values and states as tiles.

#include "passes/schedule/mma/LinearBlock.h"
#include "passes/schedule/gpu/FragmentMap.h"

#include "passes/body/ScoreBody.h"
#include "passes/schedule/gpu/NeverUnroll.h"

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

LinearBlock::Halves LinearBlock::panelOf(const Halves &tile, int64_t panel) {
  auto type = cast<tile::SharedType>(tile.high.getType());
  if (type.getRows() == chunk)
    return tile;
  auto own = tile::SharedType::getPadded(chunk, type.getColumns(),
                                         type.getElementType());
  auto rows = [&](Value half) -> Value {
    return tile::SharedRowsOp::create(b, own, half, at.value(panel * chunk));
  };
  return {rows(tile.high), rows(tile.low)};
}

/// The upper half of the bits of `number`, and the rest: exact. An infinity has
/// no rest, which would be NaN.
std::pair<Value, Value> LinearBlock::splitInHalves(Value number) {
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  Value bits = arith::BitcastOp::create(b, i32, number);
  Value upper = arith::ConstantOp::create(b, b.getI32IntegerAttr(-65536));
  Value high = arith::BitcastOp::create(
      b, f32, arith::AndIOp::create(b, bits, upper).getResult());
  Value rest = arith::SubFOp::create(b, number, high);
  Value isExact =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, number, high);
  return {high, arith::SelectOp::create(b, isExact, this->number(0), rest)};
}

void LinearBlock::emitNumbers(const Halves &tile, Number number) {
  auto type = cast<tile::SharedType>(tile.high.getType());
  int64_t columns = type.getColumns();
  forEach(thread, at.value(type.getRows() * columns), LinearSizes::threads,
          [&](Value element) {
            Value row = at.div(element, columns);
            Value column = at.rem(element, columns);
            auto [high, low] = splitInHalves(number(row, column));
            for (auto [half, own] :
                 {std::pair(tile.high, high), std::pair(tile.low, low)})
              tile::SharedWriteOp::create(
                  b, arith::TruncFOp::create(b, b.getBF16Type(), own), half,
                  row, column);
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

void LinearBlock::emitFeatures(const Halves &tile, Value count,
                               Number feature) {
  emitNumbers(tile, [&](Value line, Value column) {
    Value row = at.rem(line, chunk);
    Value own = at.add(at.mul(at.div(line, chunk), chunk), column);
    return numberIf(
        both(isBelow(row, count), isBelow(own, b.getIndexAttr(sizes.features))),
        b.getF32Type(), [&] { return feature(row, own); });
  });
}

void LinearBlock::emitBarrier() { gpu::BarrierOp::create(b); }

void LinearBlock::emitWaitForStores() {
  NVVM::SyncWarpOp::create(
      b, arith::ConstantOp::create(b, b.getI32IntegerAttr(-1)));
}

Value LinearBlock::emitProduct(const Halves &left, bool isTurned,
                               const Halves &right, bool isTransposed,
                               Value sum) {
  auto add = [&](Value own, Value other) {
    sum = tile::MmaProductOp::create(
              b, sum.getType(), isTurned ? b.getUnitAttr() : UnitAttr(), own,
              other, isTransposed ? b.getUnitAttr() : UnitAttr(), sum)
              .getResult(0);
  };
  // The small terms first.
  add(left.low, right.high);
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

Value LinearBlock::numberAt(const Halves &tile, Value row, Value column) {
  auto wide = [&](Value half) -> Value {
    Value own =
        tile::SharedReadOp::create(b, b.getBF16Type(), half, row, column);
    return arith::ExtFOp::create(b, b.getF32Type(), own);
  };
  return arith::AddFOp::create(b, wide(tile.high), wide(tile.low));
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
    SmallVector<OpFoldResult> offsets = {b.getIndexAttr(0), firstColumn};
    SmallVector<OpFoldResult> extents = {
        memref::getMixedSize(b, b.getLoc(), matrix, 0),
        b.getIndexAttr(sizes.columns)};
    SmallVector<OpFoldResult> steps(2, b.getIndexAttr(1));
    Value columns =
        memref::SubViewOp::create(b, matrix, offsets, extents, steps);
    tile::StoreOp::create(b, fragment, columns, first, rows);
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

Value LinearBlock::numberIf(Value condition, Type type,
                            function_ref<Value()> number) {
  auto choice = scf::IfOp::create(b, type, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, number());
  b.setInsertionPointToStart(choice.elseBlock());
  Value zero = arith::ConstantOp::create(b, b.getFloatAttr(type, 0));
  scf::YieldOp::create(b, zero);
  return choice.getResult(0);
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
