// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products and norms of rows as they lie in memory: lanes are features.

#include "passes/lower/x86/VectorEmitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <tuple>

using namespace mlir;
using namespace mixattn;

namespace {

/// Rows are read by vectors of features, without the lanes beyond their last
/// feature, and once for all queries that take them.
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
  /// Whether vectors of features of `matrix` come in twos, the even ones and
  /// the odd ones: to widen bf16 so takes half as many instructions.
  static bool isInTurn(Value matrix) { return holdsPairs(matrix); }
  /// `count` vectors of features of row `i` from vector `first` on, as f32.
  Values loadFeatures(Value matrix, Value i, int64_t first, int64_t count,
                      bool inTurn);
  /// Columns of row `i`, as many as `vectors` hold, from vector `first` on; 0
  /// beyond the last one.
  Value loadColumns(Value matrix, Value i, int64_t first, int64_t vectors);
  /// Asks for the row that lies some way after row `i`: rows are read once, and
  /// the CPU forgets between blocks of keys and of values where it was. There
  /// need not be such a row: asking does not read.
  void emitPrefetch(Value matrix, Value i);
  /// Lane r of the result is the sum of all lanes of `rows[r]`.
  Value emitLaneSums(Values rows);
  /// All features of row `i` of `rows` as `matrix` has its own: pairs of bf16
  /// as they lie where `arePairs`, else f32.
  Values loadRow(Value rows, Value i, Value matrix, bool arePairs);
  /// The same of `count` rows from row `first` on.
  SmallVector<Values> loadRows(Value rows, Value first, int64_t count,
                               Value matrix, bool arePairs = false);
  /// sums[t][j] = factor * emitSum(features, t) for every row t and lane j,
  /// where the lanes of what `emitSum` gives are added up, and `features` are
  /// those of row min(row + j, last) of `matrix`.
  void
  emitRowSums(Value matrix, Value row, Value last, Value sums, float factor,
              bool arePairs,
              function_ref<Value(ArrayRef<Value> features, int64_t t)> emitSum);
  /// A row whose lanes add up to the sum of all products of two numbers.
  Value emitProducts(ArrayRef<Value> left, ArrayRef<Value> right);
  Value emitProductsOfPairs(ArrayRef<Value> left, ArrayRef<Value> right);
  void emitSummedVectors(tile::SumRowsOp op, int64_t first, int64_t vectors);
};

} // namespace

Value RowEmitter::loadColumns(Value matrix, Value i, int64_t first,
                              int64_t vectors) {
  Type element = cast<MemRefType>(matrix.getType()).getElementType();
  int64_t from = first * cpu.lanes, lanes = vectors * cpu.lanes;
  int64_t held = std::min(lanes, sizeOf(matrix, 1) - from);
  auto type = VectorType::get({lanes}, element);
  SmallVector<Value> at = {i, index(from)};
  if (held == lanes)
    return vector::LoadOp::create(b, type, matrix, at);
  Value mask = vector::CreateMaskOp::create(
      b, VectorType::get({lanes}, b.getI1Type()), index(held));
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, type, matrix, at, mask, zero);
}

RowEmitter::Values RowEmitter::loadFeatures(Value matrix, Value i,
                                            int64_t first, int64_t count,
                                            bool inTurn) {
  bool isWide = cast<MemRefType>(matrix.getType()).getElementType().isF32();
  auto loadOne = [&](int64_t c) -> Value {
    Value part = loadColumns(matrix, i, first + c, 1);
    return isWide ? part : arith::ExtFOp::create(b, row, part).getResult();
  };
  Values parts;
  int64_t c = 0;
  for (; inTurn && c + 1 < count; c += 2) {
    if (holdsPairs(matrix)) {
      llvm::append_range(parts,
                         splitWidened(loadColumns(matrix, i, first + c, 2)));
      continue;
    }
    Value low = loadOne(c), high = loadOne(c + 1);
    for (int64_t odd : {0, 1}) {
      SmallVector<int64_t> taken;
      for (int64_t lane = 0; lane < cpu.lanes; ++lane)
        taken.push_back(2 * lane + odd);
      parts.push_back(vector::ShuffleOp::create(b, low, high, taken));
    }
  }
  for (; c < count; ++c)
    parts.push_back(loadOne(c));
  return parts;
}

RowEmitter::Values RowEmitter::loadRow(Value rows, Value i, Value matrix,
                                       bool arePairs) {
  int64_t vectors = vectorsOf(matrix);
  if (!arePairs)
    return loadFeatures(rows, i, 0, vectors, isInTurn(matrix));
  Values pairs;
  for (int64_t c = 0; c < vectors; c += 2)
    pairs.push_back(loadColumns(rows, i, c, 2));
  return pairs;
}

SmallVector<RowEmitter::Values> RowEmitter::loadRows(Value rows, Value first,
                                                     int64_t count,
                                                     Value matrix,
                                                     bool arePairs) {
  SmallVector<Values> loaded;
  for (int64_t t = 0; t < count; ++t)
    loaded.push_back(loadRow(rows, add(first, t), matrix, arePairs));
  return loaded;
}

Value RowEmitter::emitProducts(ArrayRef<Value> left, ArrayRef<Value> right) {
  Value sum = arith::MulFOp::create(b, left.front(), right.front());
  for (auto [x, y] : llvm::zip_equal(left.drop_front(), right.drop_front()))
    sum = multiplyAdd(x, y, sum);
  return sum;
}

Value RowEmitter::emitProductsOfPairs(ArrayRef<Value> left,
                                      ArrayRef<Value> right) {
  Value sum = splat(0);
  for (auto [x, y] : llvm::zip_equal(left, right))
    sum = multiplyAddPairs(x, y, sum);
  return sum;
}

void RowEmitter::emitPrefetch(Value matrix, Value i) {
  // How many bits away to look, but no less than the rows of a turn: the loads
  // of one begin about as early as what it asks for.
  constexpr int64_t ahead = int64_t(1) << 15;
  int64_t columns = sizeOf(matrix, 1);
  int64_t bits = cast<MemRefType>(matrix.getType()).getElementTypeBitWidth();
  int64_t rows = llvm::divideCeil(ahead, columns * bits);
  Value row = add(i, std::max(rows, cpu.lanes));
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
    bool arePairs, function_ref<Value(ArrayRef<Value>, int64_t)> emitSum) {
  int64_t targets = sizeOf(sums, 0);
  loop(index(0), index(sizeOf(sums, 1)), cpu.lanes, {},
       [&](Value lane, ValueRange) {
         SmallVector<Values> ofRows(targets);
         for (int64_t r = 0; r < cpu.lanes; ++r) {
           Value i =
               b.createOrFold<arith::MinSIOp>(add(add(row, lane), r), last);
           emitPrefetch(matrix, i);
           Values features = loadRow(matrix, i, matrix, arePairs);
           for (int64_t t = 0; t < targets; ++t)
             ofRows[t].push_back(emitSum(features, t));
         }
         for (int64_t t = 0; t < targets; ++t) {
           Value result = emitLaneSums(ofRows[t]);
           if (factor != 1.0f)
             result = arith::MulFOp::create(b, result, splat(factor));
           vector::StoreOp::create(b, result, sums, ValueRange{index(t), lane});
         }
         return Values();
       });
}

void RowEmitter::emitDots(tile::DotRowsOp op) {
  Value keys = op.getKeys();
  bool arePairs =
      holdsPairs(keys) && holdsPairs(op.getQueries()) && cpu.hasPairs();
  SmallVector<Values> queries =
      loadRows(op.getQueries(), op.getQuery(), sizeOf(op.getScores(), 0), keys,
               arePairs);
  emitRowSums(keys, op.getRow(), op.getLast(), op.getScores(),
              op.getFactor().convertToFloat(), arePairs,
              [&](ArrayRef<Value> key, int64_t t) {
                return arePairs ? emitProductsOfPairs(key, queries[t])
                                : emitProducts(key, queries[t]);
              });
}

void RowEmitter::emitSquares(tile::SquareRowsOp op) {
  SmallVector<Values> others;
  if (op.getOther())
    others = loadRows(op.getOther(), op.getOtherRow(),
                      sizeOf(op.getSquares(), 0), op.getRows());
  emitRowSums(op.getRows(), op.getRow(), op.getLast(), op.getSquares(),
              op.getFactor().convertToFloat(), /*arePairs=*/false,
              [&](ArrayRef<Value> features, int64_t t) {
                Values terms(features);
                for (auto [c, term] : llvm::enumerate(terms)) {
                  if (op.getOther() && op.getSubtracts())
                    term = arith::SubFOp::create(b, term, others[t][c]);
                  else if (op.getOther())
                    term = arith::AddFOp::create(b, term, others[t][c]);
                }
                return emitProducts(terms, terms);
              });
}

/// Sums up `vectors` vectors of features from vector `first` on.
void RowEmitter::emitSummedVectors(tile::SumRowsOp op, int64_t first,
                                   int64_t vectors) {
  int64_t targets = sizeOf(op.getSums(), 0), width = targets * vectors;
  // Sums that do not wait for each other.
  constexpr int64_t inFlight = 8;
  int64_t atOnce = std::max<int64_t>(1, inFlight / width);
  bool inTurn = isInTurn(op.getValues());
  auto step = [&](Value j, ValueRange carried, int64_t keys) {
    Values next;
    for (int64_t k = 0; k < keys; ++k) {
      Value own = add(j, k), key = add(op.getRow(), own);
      if (first == 0)
        emitPrefetch(op.getValues(), key);
      Values features =
          loadFeatures(op.getValues(), key, first, vectors, inTurn);
      for (int64_t t = 0; t < targets; ++t) {
        Value weight = spread(op.getWeights(), index(t), own);
        Value isWeighed;
        if (op.getSkipsZeros())
          isWeighed = arith::CmpFOp::create(b, arith::CmpFPredicate::UNE,
                                            weight, splat(0));
        for (int64_t c = 0; c < vectors; ++c) {
          Value before = carried[next.size()];
          Value sum = multiplyAdd(weight, features[c], before);
          if (isWeighed)
            sum = arith::SelectOp::create(b, isWeighed, sum, before);
          next.push_back(sum);
        }
      }
    }
    return next;
  };
  // The rows are summed up from 0 and then added, as in tile.x86.product.
  Values sums(atOnce * width, splat(0));
  Value rest = b.createOrFold<arith::RemUIOp>(op.getCount(), index(atOnce));
  Value whole = b.createOrFold<arith::SubIOp>(op.getCount(), rest);
  sums = loop(index(0), whole, atOnce, sums, [&](Value j, ValueRange carried) {
    return step(j, carried, atOnce);
  });
  for (int64_t k = 1; k < atOnce; ++k)
    for (int64_t c = 0; c < width; ++c)
      sums[c] = arith::AddFOp::create(b, sums[c], sums[k * width + c]);
  sums.truncate(width);
  if (atOnce > 1)
    sums =
        loop(whole, op.getCount(), 1, sums,
             [&](Value j, ValueRange carried) { return step(j, carried, 1); });
  for (int64_t t = 0; t < targets; ++t) {
    MutableArrayRef<Value> own =
        MutableArrayRef(sums).slice(t * vectors, vectors);
    for (int64_t c = 0; inTurn && c + 1 < vectors; c += 2)
      std::tie(own[c], own[c + 1]) =
          std::tuple_cat(joinInTurn(own[c], own[c + 1]));
    for (int64_t c = 0; c < vectors; ++c) {
      Value before = load(op.getSums(), index(t), first + c);
      store(arith::AddFOp::create(b, before, own[c]), op.getSums(), index(t),
            first + c);
    }
  }
}

void RowEmitter::emitSums(tile::SumRowsOp op) {
  int64_t vectors = vectorsOf(op.getValues());
  int64_t atOnce =
      cpu.rowsInRegisters(std::max<int64_t>(2, sizeOf(op.getSums(), 0)));
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
