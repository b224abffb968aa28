// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of the linear schedule: rows of numbers with rows of lanes, and
// running sums of outer products.

#include "passes/lower/x86/VectorEmitter.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// A few rows and vectors of lanes at a time, whose sums stay in registers.
class StateEmitter : public VectorEmitter {
public:
  using VectorEmitter::VectorEmitter;

  void emitMultiply(tile::MultiplyOp op);
  void emitUpdate(tile::UpdateOp op);

private:
  Value loadAt(Value tile, Value at, Value lane, int64_t vector) {
    return vector::LoadOp::create(
        b, row, tile, ValueRange{at, add(lane, vector * cpu.lanes)});
  }
  void storeAt(Value value, Value tile, Value at, Value lane, int64_t vector) {
    vector::StoreOp::create(b, value, tile,
                            ValueRange{at, add(lane, vector * cpu.lanes)});
  }
  /// Runs `body` for all lanes of `tile`, as many vectors at a time as leave
  /// room for the sums of `rows` rows.
  void forEachLanes(Value tile, int64_t rows,
                    function_ref<void(Value lane, int64_t vectors)> body);
  /// The same for rows from 0 to `count` - 1.
  void forEachRows(int64_t count,
                   function_ref<void(Value first, int64_t rows)> body);
  /// sum_i column(i, r) right[i][lane] for i from 0 to `count` - 1.
  Values emitSums(int64_t rows, int64_t vectors, Value count, Value right,
                  Value lane, function_ref<Value(Value, int64_t)> column);
  void emitUpdatedRows(tile::UpdateOp op, Value first, int64_t rows, Value lane,
                       int64_t vectors);

  /// Rows whose sums stay in registers: a broadcast serves so many vectors, and
  /// a vector so many broadcasts.
  static constexpr int64_t rowsAtOnce = 4;
};

} // namespace

void StateEmitter::forEachLanes(Value tile, int64_t rows,
                                function_ref<void(Value, int64_t)> body) {
  int64_t vectors = sizeOf(tile, 1) / cpu.lanes;
  int64_t atOnce = cpu.rowsInRegisters(rows);
  int64_t whole = vectors / atOnce * atOnce;
  if (whole == atOnce)
    body(index(0), atOnce);
  else if (whole)
    loop(index(0), index(whole * cpu.lanes), atOnce * cpu.lanes, {},
         [&](Value lane, ValueRange) {
           body(lane, atOnce);
           return Values();
         });
  if (whole != vectors)
    body(index(whole * cpu.lanes), vectors - whole);
}

void StateEmitter::forEachRows(int64_t count,
                               function_ref<void(Value, int64_t)> body) {
  int64_t whole = count / rowsAtOnce * rowsAtOnce;
  if (whole)
    loop(index(0), index(whole), rowsAtOnce, {}, [&](Value first, ValueRange) {
      body(first, rowsAtOnce);
      return Values();
    });
  if (whole != count)
    body(index(whole), count - whole);
}

StateEmitter::Values
StateEmitter::emitSums(int64_t rows, int64_t vectors, Value count, Value right,
                       Value lane, function_ref<Value(Value, int64_t)> column) {
  Values sums(rows * vectors, splat(0));
  auto step = [&](Value i, ValueRange carried) {
    Values lanes, next;
    for (int64_t c = 0; c < vectors; ++c)
      lanes.push_back(loadAt(right, i, lane, c));
    for (int64_t r = 0; r < rows; ++r) {
      Value number = column(i, r);
      for (int64_t c = 0; c < vectors; ++c)
        next.push_back(multiplyAdd(number, lanes[c], carried[r * vectors + c]));
    }
    return next;
  };
  return sumInParts(count, sizeOf(right, 0), sums,
                    [&](Value from, Value to, ValueRange carried) {
                      return loopInTwos(from, to, carried, step);
                    });
}

void StateEmitter::emitMultiply(tile::MultiplyOp op) {
  Value product = op.getProduct();
  int64_t rows = sizeOf(product, 0);
  forEachLanes(product, rows, [&](Value lane, int64_t vectors) {
    Values sums =
        emitSums(rows, vectors, op.getCount(), op.getRight(), lane,
                 [&](Value d, int64_t r) {
                   return spread(op.getLeft(), add(op.getRow(), r), d);
                 });
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < vectors; ++c)
        storeAt(sums[r * vectors + c], product, index(r), lane, c);
  });
}

/// Updates `rows` rows of sums from `first` on, in `vectors` vectors of lanes.
void StateEmitter::emitUpdatedRows(tile::UpdateOp op, Value first, int64_t rows,
                                   Value lane, int64_t vectors) {
  Values added = emitSums(rows, vectors, op.getCount(), op.getRight(), lane,
                          [&](Value j, int64_t r) {
                            return spread(op.getLeft(), j, add(first, r));
                          });
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < vectors; ++c) {
      Value at = add(first, r);
      Value sum = loadAt(op.getSums(), at, lane, c);
      Value lost = loadAt(op.getLost(), at, lane, c);
      Value term = arith::SubFOp::create(b, added[r * vectors + c], lost);
      Value total = arith::AddFOp::create(b, sum, term);
      Value taken = arith::SubFOp::create(b, total, sum);
      Value rest = arith::SubFOp::create(b, taken, term);
      // Of an infinite sum nothing is lost, rather than inf - inf.
      Value isKnown =
          arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, rest, rest);
      rest = arith::SelectOp::create(b, isKnown, rest, splat(0));
      storeAt(total, op.getSums(), at, lane, c);
      storeAt(rest, op.getLost(), at, lane, c);
    }
}

void StateEmitter::emitUpdate(tile::UpdateOp op) {
  forEachRows(sizeOf(op.getSums(), 0), [&](Value first, int64_t rows) {
    forEachLanes(op.getSums(), rows, [&](Value lane, int64_t vectors) {
      emitUpdatedRows(op, first, rows, lane, vectors);
    });
  });
}

void mixattn::lower(RewriterBase &rewriter, tile::MultiplyOp op,
                    const CpuModel &cpu) {
  StateEmitter(op.getLoc(), rewriter, cpu).emitMultiply(op);
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::UpdateOp op,
                    const CpuModel &cpu) {
  StateEmitter(op.getLoc(), rewriter, cpu).emitUpdate(op);
  rewriter.eraseOp(op);
}
