// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between matrices and rows of lanes: squares transposed in registers.

#include "passes/body/TransposeSquare.h"
#include "passes/lower/x86/VectorEmitter.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Transposes squares of as many rows as there are lanes.
class TransposeEmitter : public VectorEmitter {
public:
  using VectorEmitter::VectorEmitter;

  void emitPack(tile::PackOp op);
  void emitPair(tile::PairOp op);
  void emitTranspose(tile::TransposeOp op);
  void emitWiden(tile::WidenOp op);
  void emitUnpack(tile::UnpackOp op);

private:
  Value less(Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, x, y);
  }
  Value lanesBelow(Value count) { return maskOf(cpu.lanes, count); }
  Value maskOf(int64_t length, Value count) {
    return vector::CreateMaskOp::create(
        b, VectorType::get({length}, b.getI1Type()), count);
  }
  /// Runs `body` for every row of lanes below `end`: the lane it begins at.
  void overLanes(Value end, function_ref<void(Value lane)> body) {
    loop(index(0), end, cpu.lanes, {}, [&](Value lane, ValueRange) {
      body(lane);
      return Values();
    });
  }
  /// Runs `body` for `step` columns at a time, with the first of them, and with
  /// how many there are, or null where there are all.
  void overColumns(Value columns, int64_t step,
                   function_ref<void(Value column, Value count)> body);
  /// Elements of `matrix` from [i, j] on: `count` and 0 beyond, or all.
  Value loadPart(VectorType type, Value matrix, Value i, Value j, Value count);
  /// The same of elements of any type, as f32.
  Value loadFloats(Value matrix, Value i, Value j, Value count);
  /// Runs `body` where `place` is below `count`, or always.
  void whenBelow(int64_t place, Value count, function_ref<void()> body) {
    if (!count)
      return body();
    if (std::optional<int64_t> known = getConstantIntValue(count)) {
      if (place < *known)
        body();
      return;
    }
    when(less(index(place), count), body);
  }
  void when(Value condition, function_ref<void()> body) {
    auto choice = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    body();
  }
};

} // namespace

void TransposeEmitter::overColumns(Value columns, int64_t step,
                                   function_ref<void(Value, Value)> body) {
  std::optional<int64_t> known = getConstantIntValue(columns);
  if (!known) {
    loop(index(0), columns, step, {}, [&](Value column, ValueRange) {
      body(column, b.createOrFold<arith::SubIOp>(columns, column));
      return Values();
    });
    return;
  }
  int64_t whole = *known / step * step;
  if (whole)
    loop(index(0), index(whole), step, {}, [&](Value column, ValueRange) {
      body(column, Value());
      return Values();
    });
  if (whole != *known)
    body(index(whole), index(*known - whole));
}

Value TransposeEmitter::loadPart(VectorType type, Value matrix, Value i,
                                 Value j, Value count) {
  if (!count)
    return vector::LoadOp::create(b, type, matrix, ValueRange{i, j});
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, type, matrix, ValueRange{i, j},
                                      maskOf(type.getDimSize(0), count), zero);
}

Value TransposeEmitter::loadFloats(Value matrix, Value i, Value j,
                                   Value count) {
  Type element = cast<MemRefType>(matrix.getType()).getElementType();
  Value part =
      loadPart(VectorType::get({cpu.lanes}, element), matrix, i, j, count);
  if (element.isInteger())
    return arith::UIToFPOp::create(b, row, part);
  return element.isF32() ? part
                         : arith::ExtFOp::create(b, row, part).getResult();
}

void TransposeEmitter::emitPack(tile::PackOp op) {
  Value tile = op.getTile();
  bool arePairs = holdsPairs(tile);
  int64_t size = cpu.lanes, step = arePairs ? 2 * size : size;
  auto pairs = VectorType::get({2 * size}, b.getBF16Type());
  Value last = b.createOrFold<arith::SubIOp>(op.getRows(), index(1));
  float factor = op.getFactor().convertToFloat();
  Value width = b.createOrFold<memref::DimOp>(tile, index(1));
  if (arePairs)
    width = b.createOrFold<arith::DivUIOp>(width, index(2));
  overLanes(width, [&](Value lane) {
    overColumns(op.getColumns(), step, [&](Value column, Value count) {
      Values rows;
      for (int64_t r = 0; r < size; ++r) {
        Value own = b.createOrFold<arith::MinSIOp>(add(lane, r), last);
        Value i = add(op.getRow(), own), j = add(op.getColumn(), column);
        if (!arePairs) {
          rows.push_back(loadFloats(op.getSource(), i, j, count));
          continue;
        }
        // A pair is one number to transpose.
        Value part = loadPart(pairs, op.getSource(), i, j, count);
        rows.push_back(vector::BitCastOp::create(b, row, part));
      }
      rows = emitTransposed(b, rows);
      Value first =
          arePairs ? b.createOrFold<arith::DivUIOp>(column, index(2)) : column;
      Value place =
          arePairs ? b.createOrFold<arith::MulIOp>(lane, index(2)) : lane;
      for (int64_t c = 0; c < size; ++c) {
        Value value = rows[c];
        if (arePairs)
          value = vector::BitCastOp::create(b, pairs, value);
        else if (factor != 1.0f)
          value = arith::MulFOp::create(b, value, splat(factor));
        whenBelow(arePairs ? 2 * c : c, count, [&] {
          vector::StoreOp::create(b, value, tile,
                                  ValueRange{add(first, c), place});
        });
      }
    });
  });
}

void TransposeEmitter::emitPair(tile::PairOp op) {
  Value source = op.getSource();
  int64_t size = cpu.lanes, columns = sizeOf(source, 1);
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

void TransposeEmitter::emitTranspose(tile::TransposeOp op) {
  // Two rows, whose numbers alternate, are a row of 32-bit words.
  int64_t size = cpu.lanes, columns = sizeOf(op.getSource(), 1);
  auto half = VectorType::get({size}, b.getBF16Type());
  auto whole = VectorType::get({2 * size}, b.getBF16Type());
  loop(index(0), index(sizeOf(op.getTarget(), 1)), 2 * size, {},
       [&](Value first, ValueRange) {
         for (int64_t c = 0; c < columns; c += size) {
           Value held = index(std::min(size, columns - c));
           auto load = [&](int64_t r) {
             Value i = add(first, r);
             Value count = b.createOrFold<arith::SelectOp>(
                 less(i, op.getRows()), held, index(0));
             return loadPart(half, op.getSource(), add(op.getRow(), i),
                             index(c), count);
           };
           Values rows;
           for (int64_t r = 0; r < 2 * size; r += 2) {
             Value both = vector::InterleaveOp::create(b, load(r), load(r + 1));
             rows.push_back(vector::BitCastOp::create(b, row, both));
           }
           rows = emitTransposed(b, rows);
           for (int64_t r = 0; r < size; ++r)
             vector::StoreOp::create(
                 b, vector::BitCastOp::create(b, whole, rows[r]),
                 op.getTarget(), ValueRange{index(c + r), first});
         }
         return Values();
       });
}

void TransposeEmitter::emitWiden(tile::WidenOp op) {
  Value source = op.getSource(), target = op.getTarget();
  Type element = op.getTarget().getType().getElementType();
  auto type = VectorType::get({cpu.lanes}, element);
  int64_t columns = sizeOf(target, 1), held = sizeOf(source, 1);
  bool isPadded = !ShapedType::isDynamic(held) && held < columns;
  auto emitPart = [&](Value row, Value r, Value column, Value count,
                      Value stored) {
    Value part = element.isF32() ? loadFloats(source, row, column, count)
                                 : loadPart(type, source, row, column, count);
    if (stored)
      vector::MaskedStoreOp::create(b, target, ValueRange{r, column},
                                    lanesBelow(stored), part);
    else
      vector::StoreOp::create(b, part, target, ValueRange{r, column});
  };
  loop(index(0), op.getRows(), 1, {}, [&](Value r, ValueRange) {
    Value i = b.createOrFold<arith::MinSIOp>(add(op.getRow(), r), op.getLast());
    overColumns(index(columns), cpu.lanes, [&](Value column, Value stored) {
      Value there = stored;
      if (isPadded)
        there = b.createOrFold<arith::MaxSIOp>(
            b.createOrFold<arith::SubIOp>(index(held), column), index(0));
      emitPart(i, r, column, there, stored);
    });
    return Values();
  });
}

void TransposeEmitter::emitUnpack(tile::UnpackOp op) {
  Value tile = op.getTile(), target = op.getTarget();
  int64_t size = cpu.lanes, features = sizeOf(tile, 0);
  Value columns = op.getColumns() ? op.getColumns() : index(features);
  Type element = cast<MemRefType>(target.getType()).getElementType();
  auto type = VectorType::get({size}, element);
  auto loadRow = [&](Value matrix, Value at, Value lane) -> Value {
    return vector::LoadOp::create(b, row, matrix, ValueRange{at, lane});
  };
  Value last = b.createOrFold<arith::SubIOp>(op.getRows(), index(1));
  overLanes(op.getRows(), [&](Value lane) {
    Value factors = loadRow(op.getFactors(), index(0), lane);
    overColumns(columns, size, [&](Value column, Value count) {
      Values rows;
      for (int64_t c = 0; c < size; ++c) {
        // Beyond the last feature any row does.
        Value own =
            b.createOrFold<arith::MinSIOp>(add(column, c), index(features - 1));
        rows.push_back(
            arith::MulFOp::create(b, loadRow(tile, own, lane), factors));
      }
      rows = emitTransposed(b, rows);
      // Rows after the last are stored in its place first; it overwrites them.
      // That needs no branches.
      for (int64_t r = size - 1; r >= 0; --r) {
        Value value = rows[r];
        if (!element.isF32())
          value = arith::TruncFOp::create(b, type, value);
        Value own = b.createOrFold<arith::MinSIOp>(add(lane, r), last);
        Value i = add(op.getRow(), own);
        if (!count)
          vector::StoreOp::create(b, value, target, ValueRange{i, column});
        else
          vector::MaskedStoreOp::create(b, target, ValueRange{i, column},
                                        lanesBelow(count), value);
      }
    });
  });
}

void mixattn::lower(RewriterBase &rewriter, tile::PackOp op,
                    const CpuModel &cpu) {
  TransposeEmitter(op.getLoc(), rewriter, cpu).emitPack(op);
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::PairOp op,
                    const CpuModel &cpu) {
  TransposeEmitter(op.getLoc(), rewriter, cpu).emitPair(op);
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::TransposeOp op,
                    const CpuModel &cpu) {
  TransposeEmitter(op.getLoc(), rewriter, cpu).emitTranspose(op);
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::WidenOp op,
                    const CpuModel &cpu) {
  TransposeEmitter(op.getLoc(), rewriter, cpu).emitWiden(op);
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::UnpackOp op,
                    const CpuModel &cpu) {
  TransposeEmitter(op.getLoc(), rewriter, cpu).emitUnpack(op);
  rewriter.eraseOp(op);
}
