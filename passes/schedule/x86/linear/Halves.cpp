// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits rows of f32 into halves, and multiplies them.

#include "passes/schedule/x86/linear/Halves.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

/// Numbers whose halves lie side by side, as AMX takes them at a time.
static constexpr int64_t few = tile::amxTerms;

bool mixattn::mayMultiplyHalves(Value values, const TileSizes &sizes) {
  return sizes.hasAmx && sizes.block % few == 0 &&
         getElementTypeOrSelf(values).isBF16();
}

static int64_t numCopies(Halves::Right right) {
  return right == Halves::Right::Exact ? 2 : 3;
}

int64_t Halves::termsOf(int64_t count, Right right) {
  return int64_t(llvm::alignTo(count, few)) * numCopies(right);
}

Value Halves::emitTerms(Value count, Right right) {
  Value groups = at.div(at.add(count, few - 1), few);
  return at.mul(groups, few * numCopies(right));
}

Value Halves::takeLeft(int64_t rows, int64_t count, Right right) {
  return takeMatrix(rows, termsOf(count, right), b.getBF16Type());
}

Value Halves::takeRight(int64_t count, int64_t lanes, Right right) {
  return takeMatrix(termsOf(count, right) / 2, 2 * lanes, b.getBF16Type());
}

static Value splatOf(ImplicitLocOpBuilder &b, VectorType type, uint32_t bits) {
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, APInt(32, bits)));
}

Halves::Split Halves::split(Value numbers) {
  auto bits = rowType().clone(b.getI32Type());
  Value all = arith::BitcastOp::create(b, bits, numbers);
  Value upper = arith::AndIOp::create(b, all, splatOf(b, bits, 0xffff0000));
  upper = arith::BitcastOp::create(b, rowType(), upper);
  return {upper, sub(numbers, upper)};
}

/// Stores two vectors, rounded to bf16, one after the other.
void Halves::storeColumns(Value first, Value second, Value left, Value row,
                          Value column) {
  auto bits = rowType().clone(b.getI32Type());
  auto parts = VectorType::get({2 * sizes.lanes}, b.getI16Type());
  // As in `storePair`: no conversion, and one shuffle takes the upper bits.
  auto rounded = [&](Value value) -> Value {
    Value number = arith::BitcastOp::create(b, bits, value);
    number = arith::AddIOp::create(b, number, splatOf(b, bits, 0x8000));
    return vector::BitCastOp::create(b, parts, number);
  };
  SmallVector<int64_t> odd;
  for (int64_t lane = 0; lane < 2 * sizes.lanes; ++lane)
    odd.push_back(2 * lane + 1);
  Value both =
      vector::ShuffleOp::create(b, rounded(first), rounded(second), odd);
  both = vector::BitCastOp::create(b, parts.clone(b.getBF16Type()), both);
  vector::StoreOp::create(b, both, left, ValueRange{row, column});
}

void Halves::emitLeft(Value matrix, Value rows, Value left, Value column,
                      Right right) {
  int64_t columns = cast<MemRefType>(matrix.getType()).getDimSize(1);
  auto emitFew = [&](Value row, Value first, bool isWhole) {
    Split own = split(load(matrix, row, first));
    Split next = isWhole ? split(load(matrix, row, at.add(first, sizes.lanes)))
                         : Split{splat(0), splat(0)};
    Value place = at.add(column, at.mul(first, numCopies(right)));
    storeColumns(own.upper, next.upper, left, row, place);
    storeColumns(own.rest, next.rest, left, row, at.add(place, few));
    if (right == Right::Rounded)
      storeColumns(own.upper, next.upper, left, row, at.add(place, 2 * few));
  };
  int64_t whole = columns / few * few;
  forEach(0, rows, 1, [&](Value row) {
    forEach(0, whole, few, [&](Value first) { emitFew(row, first, true); });
    if (whole < columns)
      emitFew(row, at.value(whole), false);
  });
}

void Halves::emitRight(Value matrix, Value pairs, Value row, Right right) {
  auto type = cast<MemRefType>(matrix.getType());
  int64_t rows = type.getDimSize(0), lanes = type.getDimSize(1);
  int64_t step = few / 2, copies = numCopies(right);
  // Pair `pair` of the few rows from `first` on.
  auto emitPair = [&](Value first, Value pair) {
    Value source = at.add(first, at.mul(pair, 2));
    Value place = at.add(at.add(row, at.div(at.mul(first, copies), 2)), pair);
    forEach(0, lanes, sizes.lanes, [&](Value lane) {
      Split even = split(load(matrix, source, lane)),
            odd = split(load(matrix, at.add(source, 1), lane));
      storePair(even.upper, odd.upper, pairs, place, lane);
      storePair(even.upper, odd.upper, pairs, at.add(place, step), lane);
      if (right == Right::Rounded)
        storePair(even.rest, odd.rest, pairs, at.add(place, 2 * step), lane);
    });
  };
  int64_t whole = rows / few * few;
  forEach(0, whole, few, [&](Value first) {
    forEach(0, step, 1, [&](Value pair) { emitPair(first, pair); });
  });
  if (whole == rows)
    return;
  Value first = at.value(whole);
  int64_t there = (rows - whole) / 2;
  forEach(0, there, 1, [&](Value pair) { emitPair(first, pair); });
  for (int64_t copy = 0; copy < copies; ++copy)
    forEach(there, step, 1, [&](Value pair) {
      Value place = at.add(at.add(row, whole * copies / 2 + copy * step), pair);
      forEach(0, lanes, sizes.lanes, [&](Value lane) {
        storePair(splat(0), splat(0), pairs, place, lane);
      });
    });
}

void Halves::emitProduct(Value left, Value row, Value pairs, Value terms,
                         Value target) {
  tile::ProductClauses clauses;
  clauses.isAmx = true;
  clauses.count = at.div(terms, 2);
  tile::ProductOp::create(b, left, row, pairs, target, clauses);
}
