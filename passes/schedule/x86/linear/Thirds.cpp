// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits rows of f32 into thirds, and multiplies them.

#include "passes/schedule/x86/linear/Thirds.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

/// Numbers whose thirds lie side by side, as AMX takes them at a time.
static constexpr int64_t few = tile::amxTerms;

/// Which thirds a product has, on the left and on the right: upper 0, middle 1,
/// lower 2. Of exact numbers on the right there are the first ones alone.
static constexpr std::pair<size_t, size_t> pairsOfThirds[] = {
    {0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {0, 2}};

static ArrayRef<std::pair<size_t, size_t>> pairsWith(Thirds::Right right) {
  ArrayRef<std::pair<size_t, size_t>> all(pairsOfThirds);
  return right == Thirds::Right::Exact ? all.take_front(3) : all;
}

static int64_t numCopies(Thirds::Right right) {
  return int64_t(pairsWith(right).size());
}

bool mixattn::mayMultiplyThirds(Value values, const TileSizes &sizes) {
  return sizes.hasAmx && sizes.block % few == 0 &&
         getElementTypeOrSelf(values).isBF16();
}

int64_t Thirds::termsOf(int64_t count, Right right) {
  return int64_t(llvm::alignTo(count, few)) * numCopies(right);
}

Value Thirds::emitTerms(Value count, Right right) {
  Value groups = at.div(at.add(count, few - 1), few);
  return at.mul(groups, few * numCopies(right));
}

Value Thirds::takeLeft(int64_t rows, int64_t count, Right right) {
  return takeMatrix(rows, termsOf(count, right), b.getBF16Type());
}

Value Thirds::takeRight(int64_t count, int64_t lanes, Right right) {
  return takeMatrix(termsOf(count, right) / 2, 2 * lanes, b.getBF16Type());
}

/// Bits are cut off, so that nothing is lost, and nothing overflows.
Thirds::Split Thirds::split(Value numbers) {
  auto bits = rowType().clone(b.getI32Type());
  Value mask = arith::ConstantOp::create(
      b, DenseElementsAttr::get(bits, APInt(32, 0xffff0000)));
  auto cut = [&](Value number) -> Value {
    Value all = arith::BitcastOp::create(b, bits, number);
    return arith::BitcastOp::create(
        b, rowType(), arith::AndIOp::create(b, all, mask).getResult());
  };
  Value upper = cut(numbers), others = sub(numbers, upper);
  Value middle = cut(others);
  return {upper, middle, sub(others, middle)};
}

/// Stores two vectors of bf16 numbers, held as f32, one after the other.
void Thirds::storeColumns(Value first, Value second, Value left, Value row,
                          Value column) {
  auto parts = VectorType::get({2 * sizes.lanes}, b.getI16Type());
  SmallVector<int64_t> odd;
  for (int64_t lane = 0; lane < 2 * sizes.lanes; ++lane)
    odd.push_back(2 * lane + 1);
  // One shuffle takes the upper bits of both.
  Value both = vector::ShuffleOp::create(
      b, vector::BitCastOp::create(b, parts, first).getResult(),
      vector::BitCastOp::create(b, parts, second).getResult(), odd);
  both = vector::BitCastOp::create(b, parts.clone(b.getBF16Type()), both);
  vector::StoreOp::create(b, both, left, ValueRange{row, column});
}

void Thirds::emitLeft(Value matrix, Value rows, Value left, Value column,
                      Right right) {
  int64_t columns = cast<MemRefType>(matrix.getType()).getDimSize(1);
  auto emitFew = [&](Value row, Value first, bool isWhole) {
    Split own = split(load(matrix, row, first));
    Value zero = splat(0);
    Split next = {zero, zero, zero};
    if (isWhole)
      next = split(load(matrix, row, at.add(first, sizes.lanes)));
    Value place = at.add(column, at.mul(first, numCopies(right)));
    for (auto [copy, pair] : llvm::enumerate(pairsWith(right)))
      storeColumns(own[pair.first], next[pair.first], left, row,
                   at.add(place, int64_t(copy) * few));
  };
  int64_t whole = columns / few * few;
  forEach(0, rows, 1, [&](Value row) {
    forEach(0, whole, few, [&](Value first) { emitFew(row, first, true); });
    if (whole < columns)
      emitFew(row, at.value(whole), false);
  });
}

void Thirds::emitRight(Value matrix, Value pairs, Value row, Right right) {
  auto type = cast<MemRefType>(matrix.getType());
  int64_t rows = type.getDimSize(0), lanes = type.getDimSize(1);
  int64_t step = few / 2, copies = numCopies(right);
  // Pair `number` of the few rows from `first` on, or zeros in its place.
  auto emitPair = [&](Value first, Value number, bool isThere) {
    Value source = at.add(first, at.mul(number, 2));
    Value place = at.add(at.add(row, at.div(at.mul(first, copies), 2)), number);
    forEach(0, lanes, sizes.lanes, [&](Value lane) {
      Value zero = splat(0);
      Split even = {zero, zero, zero}, odd = even;
      if (isThere) {
        even = split(load(matrix, source, lane));
        odd = split(load(matrix, at.add(source, 1), lane));
      }
      for (auto [copy, pair] : llvm::enumerate(pairsWith(right)))
        storePair(even[pair.second], odd[pair.second], pairs,
                  at.add(place, int64_t(copy) * step), lane);
    });
  };
  int64_t whole = rows / few * few;
  forEach(0, whole, few, [&](Value first) {
    forEach(0, step, 1, [&](Value number) { emitPair(first, number, true); });
  });
  if (whole == rows)
    return;
  Value first = at.value(whole);
  int64_t there = (rows - whole) / 2;
  forEach(0, there, 1, [&](Value number) { emitPair(first, number, true); });
  forEach(there, step, 1,
          [&](Value number) { emitPair(first, number, false); });
}

void Thirds::emitProduct(Value left, Value row, Value pairs, Value terms,
                         Value target) {
  tile::ProductClauses clauses;
  clauses.isAmx = true;
  clauses.count = at.div(terms, 2);
  tile::ProductOp::create(b, left, row, pairs, target, clauses);
}
