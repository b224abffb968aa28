// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of pairs of bf16 by AMX.

#include "passes/lower/x86/VectorEmitter.h"

#include "mlir/Dialect/AMX/AMXDialect.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// A product is cut into blocks of up to two by two squares of sums. A step
/// takes two squares of either side from memory, and each of them twice: the
/// eight registers of AMX hold both and the sums.
class AmxProductEmitter : public VectorEmitter {
public:
  AmxProductEmitter(OpBuilder &builder, const CpuModel &cpu, tile::ProductOp op)
      : VectorEmitter(op.getLoc(), builder, cpu), op(op),
        sums(amx::TileType::get({side, side}, b.getF32Type())),
        pairs(amx::TileType::get({side, tile::amxTerms}, b.getBF16Type())) {}

  void emit();

private:
  /// Rows and lanes of a square of sums, and steps of a product of squares.
  static constexpr int64_t side = tile::amxSide, mostSquares = 2;
  /// Squares from row `row` and lane `lane` on.
  struct Block {
    Value row, lane;
    int64_t rows, lanes;
  };

  /// Runs `body` for `count` squares, a few at a time: for the row, or lane, of
  /// the first, and how many there are.
  void forEachFew(int64_t count, function_ref<void(Value, int64_t)> body);
  Value load(amx::TileType type, Value matrix, Value row, Value column) {
    return amx::TileLoadOp::create(b, type, matrix, ValueRange{row, column});
  }
  /// `each` for the place of each square of `block`, row by row.
  void forEachSquare(const Block &block,
                     function_ref<void(Value row, Value lane)> each) {
    for (int64_t r = 0; r < block.rows; ++r)
      for (int64_t c = 0; c < block.lanes; ++c)
        each(add(block.row, r * side), add(block.lane, c * side));
  }
  Values emitStep(const Block &block, Value step, ValueRange before);
  void emitBlock(const Block &block);

  tile::ProductOp op;
  amx::TileType sums, pairs;
};

} // namespace

void AmxProductEmitter::forEachFew(int64_t count,
                                   function_ref<void(Value, int64_t)> body) {
  int64_t whole = count / mostSquares * mostSquares;
  if (whole == mostSquares)
    body(index(0), mostSquares);
  else if (whole)
    loop(index(0), index(whole * side), mostSquares * side, {},
         [&](Value first, ValueRange) {
           body(first, mostSquares);
           return Values();
         });
  if (whole != count)
    body(index(whole * side), count - whole);
}

/// Adds the products of the steps from `step` on.
AmxProductEmitter::Values
AmxProductEmitter::emitStep(const Block &block, Value step, ValueRange before) {
  auto twice = [&](Value number) {
    return b.createOrFold<arith::MulIOp>(number, index(2));
  };
  Values next;
  Value right[mostSquares];
  for (int64_t r = 0; r < block.rows; ++r) {
    Value row = add(op.getRow(), add(block.row, r * side));
    Value left = load(pairs, op.getLeft(), row, twice(step));
    for (int64_t c = 0; c < block.lanes; ++c) {
      if (!right[c])
        right[c] =
            load(pairs, op.getRight(), step, twice(add(block.lane, c * side)));
      next.push_back(amx::TileMulFOp::create(b, sums, left, right[c],
                                             before[r * block.lanes + c]));
    }
  }
  return next;
}

void AmxProductEmitter::emitBlock(const Block &block) {
  Values squares;
  forEachSquare(block, [&](Value row, Value lane) {
    squares.push_back(op.getAccumulates()
                          ? load(sums, op.getTarget(), row, lane)
                          : amx::TileZeroOp::create(b, sums).getResult());
  });
  auto step = [&](Value i, ValueRange before) {
    return emitStep(block, i, before);
  };
  // A few steps are written out.
  constexpr int64_t mostWritten = 8;
  int64_t count = op.getMostSteps() / side;
  if (!op.getCount() && count <= mostWritten)
    for (int64_t i = 0; i < count; ++i)
      squares = step(index(i * side), squares);
  else
    squares =
        loop(index(0), op.getCount() ? op.getCount() : index(op.getMostSteps()),
             side, squares, step);
  auto square = squares.begin();
  forEachSquare(block, [&](Value row, Value lane) {
    amx::TileStoreOp::create(b, op.getTarget(), ValueRange{row, lane},
                             *square++);
  });
}

void AmxProductEmitter::emit() {
  MemRefType target = op.getTarget().getType();
  forEachFew(target.getDimSize(0) / side, [&](Value row, int64_t rows) {
    forEachFew(target.getDimSize(1) / side, [&](Value lane, int64_t lanes) {
      emitBlock({row, lane, rows, lanes});
    });
  });
  scale(op.getTarget(), op.getFactor().convertToFloat());
}

void mixattn::lowerByAmx(RewriterBase &rewriter, tile::ProductOp op,
                         const CpuModel &cpu) {
  AmxProductEmitter(rewriter, cpu, op).emit();
  rewriter.eraseOp(op);
}
