// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between matrices and rows of lanes: squares transposed in registers.

#include "passes/lower/x86/VectorEmitter.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Transposes squares of as many rows as there are lanes.
class TransposeEmitter : public VectorEmitter {
public:
  using VectorEmitter::VectorEmitter;

  void emitPack(tile::PackOp op);
  void emitPackedPairs(tile::PackOp op);
  void emitPair(tile::PairOp op);
  void emitUnpack(tile::UnpackOp op);

private:
  /// The transpose of a square: log2 of its size steps, each of which swaps
  /// blocks beside the diagonal.
  Values transposed(Values rows);
  Value less(Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, x, y);
  }
  Value lanesBelow(Value count) {
    return vector::CreateMaskOp::create(
        b, VectorType::get({unit.lanes}, b.getI1Type()), count);
  }
  /// `count` elements of `matrix` from [i, j] on as f32, and 0 beyond.
  Value loadPart(Value matrix, Value i, Value j, Value count);
  void when(Value condition, function_ref<void()> body) {
    auto choice = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    body();
  }
};

} // namespace

TransposeEmitter::Values TransposeEmitter::transposed(Values rows) {
  int64_t size = rows.size();
  for (int64_t half = 1; half < size; half *= 2) {
    SmallVector<int64_t> upper, lower;
    for (int64_t c = 0; c < size; ++c) {
      upper.push_back(c & half ? size + c - half : c);
      lower.push_back(c & half ? size + c : c + half);
    }
    Values next(size);
    for (int64_t r = 0; r < size; ++r)
      if (!(r & half)) {
        next[r] = vector::ShuffleOp::create(b, rows[r], rows[r + half], upper);
        next[r + half] =
            vector::ShuffleOp::create(b, rows[r], rows[r + half], lower);
      }
    rows = next;
  }
  return rows;
}

Value TransposeEmitter::loadPart(Value matrix, Value i, Value j, Value count) {
  Type element = cast<MemRefType>(matrix.getType()).getElementType();
  auto type = VectorType::get({unit.lanes}, element);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value part = vector::MaskedLoadOp::create(b, type, matrix, ValueRange{i, j},
                                            lanesBelow(count), zero);
  if (element.isInteger())
    return arith::UIToFPOp::create(b, row, part);
  return element.isF32() ? part
                         : arith::ExtFOp::create(b, row, part).getResult();
}

void TransposeEmitter::emitPack(tile::PackOp op) {
  Value tile = op.getTile(), source = op.getSource();
  int64_t size = unit.lanes;
  Value last = b.createOrFold<arith::SubIOp>(op.getRows(), index(1));
  float factor = op.getFactor().convertToFloat();
  for (int64_t chunk = 0; chunk < sizeOf(tile, 1) / size; ++chunk)
    loop(index(0), op.getColumns(), size, {}, [&](Value column, ValueRange) {
      Value count = b.createOrFold<arith::SubIOp>(op.getColumns(), column);
      Values rows;
      for (int64_t r = 0; r < size; ++r) {
        Value own =
            b.createOrFold<arith::MinSIOp>(index(chunk * size + r), last);
        rows.push_back(loadPart(source, add(op.getRow(), own),
                                add(op.getColumn(), column), count));
      }
      rows = transposed(rows);
      for (int64_t c = 0; c < size; ++c) {
        Value value =
            factor == 1.0f
                ? rows[c]
                : arith::MulFOp::create(b, rows[c], splat(factor)).getResult();
        when(less(index(c), count),
             [&] { store(value, tile, add(column, c), chunk); });
      }
      return Values();
    });
}

/// The same of pairs of columns, each of which is one number to transpose.
void TransposeEmitter::emitPackedPairs(tile::PackOp op) {
  Value tile = op.getTile(), source = op.getSource();
  int64_t size = unit.lanes;
  auto pairs = VectorType::get({2 * size}, b.getBF16Type());
  Value last = b.createOrFold<arith::SubIOp>(op.getRows(), index(1));
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(pairs));
  for (int64_t chunk = 0; chunk < sizeOf(tile, 1) / (2 * size); ++chunk)
    loop(index(0), op.getColumns(), 2 * size, {},
         [&](Value column, ValueRange) {
           Value count = b.createOrFold<arith::SubIOp>(op.getColumns(), column);
           Value isThere = vector::CreateMaskOp::create(
               b, VectorType::get({2 * size}, b.getI1Type()), count);
           Values rows;
           for (int64_t r = 0; r < size; ++r) {
             Value own =
                 b.createOrFold<arith::MinSIOp>(index(chunk * size + r), last);
             Value part = vector::MaskedLoadOp::create(
                 b, pairs, source,
                 ValueRange{add(op.getRow(), own), add(op.getColumn(), column)},
                 isThere, zero);
             rows.push_back(vector::BitCastOp::create(b, row, part));
           }
           rows = transposed(rows);
           Value first = b.createOrFold<arith::DivUIOp>(column, index(2));
           for (int64_t c = 0; c < size; ++c)
             when(less(index(2 * c), count), [&] {
               vector::StoreOp::create(
                   b, vector::BitCastOp::create(b, pairs, rows[c]).getResult(),
                   tile, ValueRange{add(first, c), index(chunk * 2 * size)});
             });
           return Values();
         });
}

void TransposeEmitter::emitPair(tile::PairOp op) {
  Value source = op.getSource();
  int64_t size = unit.lanes, columns = sizeOf(source, 1);
  auto part = VectorType::get({size}, b.getBF16Type());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(part));
  SmallVector<int64_t> alternate;
  for (int64_t c = 0; c < size; ++c)
    llvm::append_values(alternate, c, size + c);
  loop(index(0), op.getRows(), 2, {}, [&](Value first, ValueRange) {
    Value second = add(first, 1);
    Value isThere = less(second, op.getRows());
    Value pair = b.createOrFold<arith::DivUIOp>(first, index(2));
    for (int64_t c = 0; c < columns; c += size) {
      int64_t held = std::min(size, columns - c);
      auto load = [&](Value i, Value count) -> Value {
        return vector::MaskedLoadOp::create(
            b, part, source, ValueRange{add(op.getRow(), i), index(c)},
            lanesBelow(count), zero);
      };
      Value count =
          b.createOrFold<arith::SelectOp>(isThere, index(held), index(0));
      Value both = vector::ShuffleOp::create(b, load(first, index(held)),
                                             load(second, count), alternate);
      if (held == size) {
        vector::StoreOp::create(b, both, op.getPairs(),
                                ValueRange{pair, index(2 * c)});
        continue;
      }
      Value isColumn = vector::CreateMaskOp::create(
          b, VectorType::get({2 * size}, b.getI1Type()), index(2 * held));
      vector::MaskedStoreOp::create(
          b, op.getPairs(), ValueRange{pair, index(2 * c)}, isColumn, both);
    }
    return Values();
  });
}

void TransposeEmitter::emitUnpack(tile::UnpackOp op) {
  Value tile = op.getTile(), target = op.getTarget();
  int64_t size = unit.lanes, features = sizeOf(tile, 0);
  auto type = cast<MemRefType>(target.getType());
  for (int64_t chunk = 0; chunk < sizeOf(tile, 1) / size; ++chunk)
    loop(index(0), index(features), size, {}, [&](Value column, ValueRange) {
      Value count = b.createOrFold<arith::SubIOp>(index(features), column);
      Value factors = load(op.getFactors(), index(0), chunk);
      Values rows;
      for (int64_t c = 0; c < size; ++c) {
        // Beyond the last feature any row does.
        Value own =
            b.createOrFold<arith::MinSIOp>(add(column, c), index(features - 1));
        rows.push_back(
            arith::MulFOp::create(b, load(tile, own, chunk), factors));
      }
      rows = transposed(rows);
      for (int64_t r = 0; r < size; ++r) {
        Value value = rows[r];
        if (!type.getElementType().isF32())
          value = arith::TruncFOp::create(
              b, VectorType::get({size}, type.getElementType()), value);
        when(less(index(chunk * size + r), op.getRows()), [&] {
          vector::MaskedStoreOp::create(
              b, target, ValueRange{add(op.getRow(), chunk * size + r), column},
              lanesBelow(count), value);
        });
      }
      return Values();
    });
}

void mixattn::lower(RewriterBase &rewriter, tile::PackOp op,
                    const VectorUnit &unit) {
  TransposeEmitter emitter(op.getLoc(), rewriter, unit);
  if (cast<MemRefType>(op.getTile().getType()).getElementType().isBF16())
    emitter.emitPackedPairs(op);
  else
    emitter.emitPack(op);
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::PairOp op,
                    const VectorUnit &unit) {
  TransposeEmitter(op.getLoc(), rewriter, unit).emitPair(op);
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::UnpackOp op,
                    const VectorUnit &unit) {
  TransposeEmitter(op.getLoc(), rewriter, unit).emitUnpack(op);
  rewriter.eraseOp(op);
}
