// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of fragments with tiles: ldmatrix and mma.sync.

#include "passes/lower/gpu/WarpEmitter.h"
#include "passes/lower/mma/Lowerings.h"

#include <functional>

using namespace mlir;
using namespace mixattn;

namespace {

class MmaEmitter : public WarpEmitter {
public:
  using WarpEmitter::WarpEmitter;

  Values emit(tile::MmaProductOp op);

private:
  /// Gives the registers of 16 terms, those from a term on, of the warp's rows
  /// of a left side.
  using LeftSide = std::function<Values(int64_t)>;
  LeftSide emitLeftSide(Value left, bool isTurned);
  /// Four squares of 8 rows and columns from `address` on, a register each.
  Values emitSquares(Value address, NVVM::MMALayout layout);
  /// The registers of 16 rows (of the sum) of 16 columns of the right side:
  /// two for the first 8 columns and two for the others, from `address` on.
  Values emitRightSide(Value address, bool transposed);
  /// The operand of an mma for the register `bits`: f16 come as pairs.
  Value asOperand(Value bits, Type type) {
    if (type.isBF16())
      return bits;
    return LLVM::BitcastOp::create(b, VectorType::get({2}, type), bits);
  }
  Values emitStep(ArrayRef<Value> left, ArrayRef<Value> right,
                  ArrayRef<Value> sums, Type type);
};

} // namespace

MmaEmitter::Values MmaEmitter::emitSquares(Value address,
                                           NVVM::MMALayout layout) {
  Type i32 = b.getI32Type();
  auto four =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, i32, i32});
  Value loaded = NVVM::LdMatrixOp::create(
      b, four, address, /*num=*/4, layout,
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  Values registers;
  for (int64_t i = 0; i < 4; ++i)
    registers.push_back(LLVM::ExtractValueOp::create(b, loaded, i));
  return registers;
}

MmaEmitter::Values MmaEmitter::emitRightSide(Value address, bool transposed) {
  return emitSquares(address,
                     transposed ? NVVM::MMALayout::row : NVVM::MMALayout::col);
}

/// Each lane gives the address of one row of one of four squares: the first,
/// the one below, then the next columns' two. A tile is read term by term, so
/// that registers hold little of it. Where its columns are the rows, squares
/// come transposed.
MmaEmitter::LeftSide MmaEmitter::emitLeftSide(Value left, bool isTurned) {
  if (isa<VectorType>(left.getType())) {
    Value registers = registersOf(left);
    return [this, registers](int64_t term) {
      Values own;
      for (int64_t r = 0; r < 4; ++r)
        own.push_back(element(registers, term / 4 + r));
      return own;
    };
  }
  Value inSquare = at.rem(lane(), 8), square = at.div(lane(), 8);
  Value row =
      at.add(at.mul(warp(), warpRows), at.mul(at.rem(square, 2), chunk));
  Value term = at.mul(at.div(square, 2), chunk);
  Value begin = isTurned ? sharedPointer(left, at.add(term, inSquare), row)
                         : sharedPointer(left, at.add(row, inSquare), term);
  int64_t step =
      isTurned ? cast<tile::SharedType>(left.getType()).getRowBytes() : width;
  auto layout = isTurned ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  return [=](int64_t term) {
    return emitSquares(shifted(begin, term * step), layout);
  };
}

/// `sums`, of 16 rows and 8 columns, plus one product of 16 terms.
MmaEmitter::Values MmaEmitter::emitStep(ArrayRef<Value> left,
                                        ArrayRef<Value> right,
                                        ArrayRef<Value> sums, Type type) {
  auto asOperands = [&](ArrayRef<Value> registers) {
    return llvm::map_to_vector(
        registers, [&](Value bits) { return asOperand(bits, type); });
  };
  Type f32 = b.getF32Type();
  auto four =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {f32, f32, f32, f32});
  NVVM::MMATypes kind =
      type.isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
  Value product = NVVM::MmaOp::create(
      b, four, asOperands(left), asOperands(right), sums,
      /*shape=*/ArrayRef<int64_t>{16, 8, 16}, /*b1Op=*/std::nullopt,
      /*intOverflow=*/std::nullopt, std::array{kind, kind},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  Values elements;
  for (int64_t i = 0; i < 4; ++i)
    elements.push_back(LLVM::ExtractValueOp::create(b, product, i));
  return elements;
}

MmaEmitter::Values MmaEmitter::emit(tile::MmaProductOp op) {
  bool transposed = op.getTransposed();
  tile::SharedType tile = op.getTile().getType();

  // Each lane gives the address of one row of one of four squares. In the order
  // of the registers: the square below the first in the sum, then the next
  // columns' two.
  Value inSquare = at.rem(lane(), 8), square = at.div(lane(), 8);
  Value below = at.mul(at.rem(square, 2), chunk);
  Value beside = at.mul(at.div(square, 2), chunk);
  Value begin =
      sharedPointer(op.getTile(), at.add(inSquare, transposed ? beside : below),
                    transposed ? below : beside);

  Type type = tile.getElementType();
  SmallVector<LeftSide> lefts;
  SmallVector<Values> sums;
  for (auto [left, accumulator] :
       llvm::zip_equal(op.getLefts(), op.getAccumulators())) {
    lefts.push_back(emitLeftSide(left, op.getTurned()));
    Values &own = sums.emplace_back();
    for (int64_t i = 0; i < lengthOf(accumulator); ++i)
      own.push_back(element(accumulator, i));
  }
  int64_t terms = transposed ? tile.getColumns() : tile.getRows();
  int64_t columns = transposed ? tile.getRows() : tile.getColumns();
  for (int64_t term = 0; term < terms; term += 16) {
    SmallVector<Values> own;
    for (LeftSide &left : lefts)
      own.push_back(left(term));
    for (int64_t column = 0; column < columns; column += 16) {
      int64_t row = transposed ? column : term;
      int64_t inRow = transposed ? term : column;
      int64_t place = row * tile.getRowBytes() + inRow * width;
      Values right = emitRightSide(shifted(begin, place), transposed);
      for (auto [left, group] : llvm::zip_equal(own, sums))
        for (int64_t half : {0, 1}) {
          int64_t first = (column + half * chunk) / 2;
          Values next =
              emitStep(left, ArrayRef<Value>(right).slice(2 * half, 2),
                       ArrayRef<Value>(group).slice(first, 4), type);
          llvm::copy(next, group.begin() + first);
        }
    }
  }
  return llvm::map_to_vector(
      sums, [&](const Values &group) { return joined(group); });
}

void mixattn::lower(RewriterBase &rewriter, tile::MmaProductOp op) {
  rewriter.replaceOp(op, MmaEmitter(op.getLoc(), rewriter).emit(op));
}
