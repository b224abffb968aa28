// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of linear attention: numbers of 32 bits as parts of 16, and their
// products.

#include "passes/schedule/mma/Halves.h"
#include "passes/schedule/mma/LinearBlock.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

static constexpr int64_t chunk = LinearSizes::chunk;

LinearBlock::Values LinearBlock::Parts::all() const {
  Values parts = {high};
  for (Value part : {low, least})
    if (part)
      parts.push_back(part);
  return parts;
}

LinearBlock::Parts LinearBlock::takeParts(int64_t panels, int64_t columns,
                                          int64_t count) {
  Parts parts;
  Value *all[] = {&parts.high, &parts.low, &parts.least};
  for (Value *part : ArrayRef(all).take_front(size_t(count)))
    *part = takeNumbers(panels * chunk, columns, b.getBF16Type());
  return parts;
}

LinearBlock::PartsAndOnes LinearBlock::rowsOf(const PartsAndOnes &tile,
                                              int64_t first, int64_t count) {
  auto rows = [&](Value part) -> Value {
    if (!part)
      return {};
    auto type = cast<tile::SharedType>(part.getType());
    if (type.getRows() == count)
      return part;
    auto own = tile::SharedType::getPadded(count, type.getColumns(),
                                           type.getElementType());
    return tile::SharedRowsOp::create(b, own, part, at.value(first));
  };
  auto all = [&](const Parts &parts) -> Parts {
    return {rows(parts.high), rows(parts.low), rows(parts.least)};
  };
  return {all(tile), all(tile.ones)};
}

/// The upper half of the bits of `number`, and the rest, or the upper half of
/// that and what is left: exact. An infinity has no rest, which would be NaN.
LinearBlock::Values LinearBlock::splitInParts(Value number, size_t count) {
  Value high = emitUpperHalf(b, number);
  Value rest = arith::SubFOp::create(b, number, high);
  Value isExact =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, number, high);
  rest = arith::SelectOp::create(b, isExact, this->number(0), rest);
  if (count == 2)
    return {high, rest};
  Value low = emitUpperHalf(b, rest);
  return {high, low, arith::SubFOp::create(b, rest, low)};
}

void LinearBlock::emitPanel(const Parts &panel, Value fragment) {
  Values parts = panel.all();
  map(fragment, 1, [&](Value row, Value column, ValueRange elements) -> Values {
    for (auto [part, own] :
         llvm::zip_equal(parts, splitInParts(elements[0], parts.size())))
      tile::SharedWriteOp::create(
          b, arith::TruncFOp::create(b, b.getBF16Type(), own), part, row,
          column);
    return {elements[0]};
  });
}

/// Columns of a fragment follow one another, so that those of ones are its last
/// elements.
Value LinearBlock::emitProduct(const Parts &left, bool isTurned,
                               const PartsAndOnes &right, bool isTransposed,
                               Value sum) {
  if (right.ones.high) {
    int64_t all = cast<VectorType>(sum.getType()).getDimSize(0),
            first = all - LinearSizes::ones / 2;
    const Parts &values = right;
    Values elements;
    for (auto [begin, end, own] : {std::tuple(int64_t(0), first, values),
                                   std::tuple(first, all, right.ones)}) {
      Values before;
      for (int64_t i = begin; i < end; ++i)
        before.push_back(vector::ExtractOp::create(b, sum, i));
      Value part = vector::FromElementsOp::create(
          b, VectorType::get({end - begin}, b.getF32Type()), before);
      part = emitProduct(left, isTurned, {own}, isTransposed, part);
      for (int64_t i = begin; i < end; ++i)
        elements.push_back(vector::ExtractOp::create(b, part, i - begin));
    }
    return vector::FromElementsOp::create(b, sum.getType(), elements);
  }
  Values lefts = left.all(), rights = right.all();
  // The small terms first.
  for (auto [own, other] :
       sizes.pairsOf(int64_t(lefts.size()), int64_t(rights.size())))
    sum = tile::MmaProductOp::create(
              b, sum.getType(), isTurned ? b.getUnitAttr() : UnitAttr(),
              lefts[size_t(own)], rights[size_t(other)],
              isTransposed ? b.getUnitAttr() : UnitAttr(), sum)
              .getResult(0);
  return sum;
}

LinearBlock::Parts LinearBlock::asOperands(Value fragment) {
  auto count = size_t(sizes.parts());
  Values parts = map(fragment, count, [&](Value, Value, ValueRange elements) {
    return splitInParts(elements[0], count);
  });
  auto type = VectorType::get(cast<VectorType>(fragment.getType()).getShape(),
                              b.getBF16Type());
  for (Value &part : parts)
    part = tile::ToOperandOp::create(b, type, part);
  return {parts[0], parts[1], count > 2 ? parts[2] : Value()};
}

/// Of columns of ones, the first is 1, the others are 0.
Value LinearBlock::numberAt(const PartsAndOnes &tile, Value row, Value column) {
  auto emitNumber = [&] {
    Value sum;
    for (Value part : tile.all()) {
      Value own = readTile(part, row, column);
      sum = sum ? arith::AddFOp::create(b, sum, own).getResult() : own;
    }
    return sum;
  };
  if (!tile.ones.high)
    return emitNumber();
  auto own = numberIf(isBelow(column, at.value(sizes.columns)), b.getF32Type(),
                      emitNumber);
  Value isOne = at.compare(arith::CmpIPredicate::eq, column, sizes.columns);
  return arith::SelectOp::create(b, isOne, number(1), own);
}
