// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products and norms of rows as they lie in memory: lanes are features.

#include "passes/lower/x86/VectorEmitter.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// A row is read one vector of features at a time, without the lanes beyond its
/// last feature.
class RowEmitter : public VectorEmitter {
public:
  using VectorEmitter::VectorEmitter;

  void emitDots(tile::DotRowsOp op);
  void emitSquares(tile::SquareRowsOp op);
  void emitSums(tile::SumRowsOp op);

private:
  int64_t vectorsOf(Value matrix) const {
    return llvm::divideCeil(sizeOf(matrix, 1), cpu.lanes);
  }
  /// A vector of features of row `i`, from `vector * lanes` on, as f32; none
  /// where `isRead`, a row of i1, is not set.
  Value loadFeatures(Value matrix, Value i, int64_t vector, Value isRead = {});
  /// Asks for the row that lies some way after row `i`: rows are read once, and
  /// the CPU forgets between blocks of keys and of values where it was. There
  /// need not be such a row: asking does not read.
  void emitPrefetch(Value matrix, Value i);
  /// Lane r of the result is the sum of all lanes of `rows[r]`.
  Value emitLaneSums(Values rows);
  /// sums[0][j] = factor * sum_c x y for every lane j, where `factorsOf` gives
  /// x and y from vector c of the features of row min(row + j, last).
  void
  emitRowSums(Value matrix, Value row, Value last, Value sums, float factor,
              function_ref<std::pair<Value, Value>(Value features, int64_t c)>
                  factorsOf);
  void emitSummedVectors(tile::SumRowsOp op, int64_t first, int64_t vectors);
};

} // namespace

Value RowEmitter::loadFeatures(Value matrix, Value i, int64_t vector,
                               Value isRead) {
  Type element = cast<MemRefType>(matrix.getType()).getElementType();
  auto type = VectorType::get({cpu.lanes}, element);
  int64_t held = std::min(cpu.lanes, sizeOf(matrix, 1) - vector * cpu.lanes);
  SmallVector<Value> at = {i, index(vector * cpu.lanes)};
  Value part;
  if (held == cpu.lanes && !isRead) {
    part = vector::LoadOp::create(b, type, matrix, at);
  } else {
    Value mask = vector::CreateMaskOp::create(
        b, VectorType::get({cpu.lanes}, b.getI1Type()), index(held));
    if (isRead)
      mask = arith::AndIOp::create(b, mask, isRead);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    part = vector::MaskedLoadOp::create(b, type, matrix, at, mask, zero);
  }
  return element.isF32() ? part
                         : arith::ExtFOp::create(b, row, part).getResult();
}

void RowEmitter::emitPrefetch(Value matrix, Value i) {
  // How many bits away to look.
  constexpr int64_t ahead = int64_t(1) << 15;
  int64_t columns = sizeOf(matrix, 1);
  int64_t bits = cast<MemRefType>(matrix.getType()).getElementTypeBitWidth();
  Value row = add(i, llvm::divideCeil(ahead, columns * bits));
  prefetch(matrix, row, index(0), columns, /*locality=*/cpu.asksIntoL2 ? 2 : 3);
}

Value RowEmitter::emitLaneSums(Values rows) {
  int64_t size = cpu.lanes;
  for (int64_t half = 1; half < size; half *= 2) {
    // Lanes whose number has the bit `half` are the second row's from now on.
    SmallVector<int64_t> upper, lower;
    for (int64_t c = 0; c < size; ++c) {
      upper.push_back(c & half ? size + c - half : c);
      lower.push_back(c & half ? size + c : c + half);
    }
    Values next;
    for (size_t r = 0; r < rows.size(); r += 2)
      next.push_back(arith::AddFOp::create(
          b, vector::ShuffleOp::create(b, rows[r], rows[r + 1], upper),
          vector::ShuffleOp::create(b, rows[r], rows[r + 1], lower)));
    rows = next;
  }
  return rows.front();
}

void RowEmitter::emitRowSums(
    Value matrix, Value row, Value last, Value sums, float factor,
    function_ref<std::pair<Value, Value>(Value, int64_t)> factorsOf) {
  loop(index(0), index(sizeOf(sums, 1)), cpu.lanes, {},
       [&](Value lane, ValueRange) {
         Values ofRows;
         for (int64_t r = 0; r < cpu.lanes; ++r) {
           Value i =
               b.createOrFold<arith::MinSIOp>(add(add(row, lane), r), last);
           emitPrefetch(matrix, i);
           Value sum;
           for (int64_t c = 0; c < vectorsOf(matrix); ++c) {
             auto [x, y] = factorsOf(loadFeatures(matrix, i, c), c);
             sum = sum ? multiplyAdd(x, y, sum)
                       : arith::MulFOp::create(b, x, y).getResult();
           }
           ofRows.push_back(sum);
         }
         Value result = emitLaneSums(ofRows);
         if (factor != 1.0f)
           result = arith::MulFOp::create(b, result, splat(factor));
         vector::StoreOp::create(b, result, sums, ValueRange{index(0), lane});
         return Values();
       });
}

void RowEmitter::emitDots(tile::DotRowsOp op) {
  Values query;
  for (int64_t c = 0; c < vectorsOf(op.getQueries()); ++c)
    query.push_back(loadFeatures(op.getQueries(), op.getQuery(), c));
  emitRowSums(op.getKeys(), op.getRow(), op.getLast(), op.getScores(),
              op.getFactor().convertToFloat(), [&](Value features, int64_t c) {
                return std::pair(features, query[c]);
              });
}

void RowEmitter::emitSquares(tile::SquareRowsOp op) {
  Values other;
  for (int64_t c = 0; op.getOther() && c < vectorsOf(op.getRows()); ++c)
    other.push_back(loadFeatures(op.getOther(), op.getOtherRow(), c));
  emitRowSums(op.getRows(), op.getRow(), op.getLast(), op.getSquares(),
              op.getFactor().convertToFloat(), [&](Value features, int64_t c) {
                if (op.getOther() && op.getSubtracts())
                  features = arith::SubFOp::create(b, features, other[c]);
                else if (op.getOther())
                  features = arith::AddFOp::create(b, features, other[c]);
                return std::pair(features, features);
              });
}

/// Sums up `vectors` vectors of features from vector `first` on.
void RowEmitter::emitSummedVectors(tile::SumRowsOp op, int64_t first,
                                   int64_t vectors) {
  // Sums that do not wait for each other.
  constexpr int64_t inFlight = 8;
  int64_t atOnce = std::max<int64_t>(1, inFlight / vectors);
  auto step = [&](Value j, ValueRange carried, int64_t keys) {
    Values next;
    for (int64_t k = 0; k < keys; ++k) {
      Value own = add(j, k), key = add(op.getRow(), own);
      if (first == 0)
        emitPrefetch(op.getValues(), key);
      Value weight = spread(op.getWeights(), index(0), own);
      Value isRead;
      if (op.getSkipsZeros())
        isRead = arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, weight,
                                       splat(0));
      for (int64_t c = 0; c < vectors; ++c) {
        Value features = loadFeatures(op.getValues(), key, first + c, isRead);
        next.push_back(multiplyAdd(weight, features, carried[k * vectors + c]));
      }
    }
    return next;
  };
  // The rows are summed up from 0 and then added, as in tile.x86.product.
  Values sums(atOnce * vectors, splat(0));
  Value rest = b.createOrFold<arith::RemUIOp>(op.getCount(), index(atOnce));
  Value whole = b.createOrFold<arith::SubIOp>(op.getCount(), rest);
  sums = loop(index(0), whole, atOnce, sums, [&](Value j, ValueRange carried) {
    return step(j, carried, atOnce);
  });
  for (int64_t k = 1; k < atOnce; ++k)
    for (int64_t c = 0; c < vectors; ++c)
      sums[c] = arith::AddFOp::create(b, sums[c], sums[k * vectors + c]);
  sums.truncate(vectors);
  if (atOnce > 1)
    sums =
        loop(whole, op.getCount(), 1, sums,
             [&](Value j, ValueRange carried) { return step(j, carried, 1); });
  for (int64_t c = 0; c < vectors; ++c) {
    Value before = load(op.getSums(), index(0), first + c);
    store(arith::AddFOp::create(b, before, sums[c]), op.getSums(), index(0),
          first + c);
  }
}

void RowEmitter::emitSums(tile::SumRowsOp op) {
  int64_t vectors = vectorsOf(op.getValues());
  int64_t atOnce = cpu.rowsInRegisters(2);
  for (int64_t first = 0; first < vectors; first += atOnce)
    emitSummedVectors(op, first, std::min(atOnce, vectors - first));
}

void mixattn::lower(RewriterBase &rewriter, tile::DotRowsOp op,
                    const CpuModel &cpu) {
  RowEmitter(op.getLoc(), rewriter, cpu).emitDots(op);
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::SquareRowsOp op,
                    const CpuModel &cpu) {
  RowEmitter(op.getLoc(), rewriter, cpu).emitSquares(op);
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::SumRowsOp op,
                    const CpuModel &cpu) {
  RowEmitter(op.getLoc(), rewriter, cpu).emitSums(op);
  rewriter.eraseOp(op);
}
