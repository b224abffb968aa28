// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plain paths of attn.row_term and attn.project.

#include "passes/body/ScoreBody.h"
#include "passes/normalize/LinalgEmitter.h"
#include "passes/normalize/PlainPaths.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mixattn;

namespace {

class TermDecomposition : LinalgEmitter {
public:
  TermDecomposition(RowTermOp op, RewriterBase &rewriter)
      : LinalgEmitter(rewriter, op.getLoc()), op(op) {
    int64_t length = op.getRows().getType().getRank() - 2;
    sizes = {sizeOf(op.getRows(), 0), sizeOf(op.getRows(), 1),
             rewriter.getIndexAttr(op.getFactors().size()),
             sizeOf(op.getRows(), length)};
  }

  Value emit();

private:
  Value emitSums();

  RowTermOp op;
  SmallVector<OpFoldResult> sizes;
};

class Projection : LinalgEmitter {
public:
  using LinalgEmitter::LinalgEmitter;

  /// result[b,h,c,d] = sum_j projection[c,j] sequence[b,h,j,d], with loops b,
  /// h, c, d, j.
  Value emit(ProjectOp op) {
    Value sequence = op.getSequence(), projection = op.getProjection();
    SmallVector<OpFoldResult> sizes = {sizeOf(sequence, 0), sizeOf(sequence, 1),
                                       sizeOf(projection, 0),
                                       sizeOf(sequence, 3)};
    return generic(
        {projection, sequence},
        {map(5, {dim(2), dim(4)}), map(5, {dim(0), dim(1), dim(4), dim(3)})},
        tensorOf(sizes, f32, 0.0), map(5, {dim(0), dim(1), dim(2), dim(3)}),
        [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
          Value product = arith::MulFOp::create(b, loc, toF32(b, loc, args[0]),
                                                toF32(b, loc, args[1]));
          return arith::AddFOp::create(b, loc, args[2], product);
        });
  }
};

} // namespace

/// sums[b,h,r,i] = sum_d x s - x^2 / 2, or of keys -(x + s)^2 / 2, with loops
/// b, h, r, i, d.
Value TermDecomposition::emitSums() {
  AffineExpr b = dim(0), h = dim(1), r = dim(2), i = dim(3), d = dim(4);
  bool hasOwn = op.getRows().getType().getRank() == 5;
  SmallVector<Value> inputs = {op.getRows()};
  SmallVector<AffineMap> maps = {hasOwn ? map(5, {b, h, r, i, d})
                                        : map(5, {b, h, i, d})};
  if (op.getShifts()) {
    inputs.push_back(op.getShifts());
    maps.push_back(map(5, {h.floorDiv(op.getShiftGroup()), r, d}));
  }
  return generic(
      inputs, maps, tensorOf(sizes, f32, 0.0), map(5, {b, h, r, i}),
      [&](OpBuilder &builder, Location loc, ValueRange args) -> Value {
        Value x = toF32(builder, loc, args[0]), sum = args.back(), squared = x;
        auto add = [&](Value left, Value right) -> Value {
          return arith::AddFOp::create(builder, loc, left, right);
        };
        auto multiply = [&](Value left, Value right) -> Value {
          return arith::MulFOp::create(builder, loc, left, right);
        };
        if (op.getShifts()) {
          Value shift = toF32(builder, loc, args[1]);
          if (op.hasProduct())
            sum = add(sum, multiply(x, shift));
          else
            squared = add(x, shift);
        }
        if (!op.getHasSquare())
          return sum;
        Value half = multiply(squared, constant(builder, -0.5));
        return add(sum, multiply(squared, half));
      });
}

/// The sums times the factors of components, plus what is added.
Value TermDecomposition::emit() {
  AffineExpr b = dim(0), h = dim(1), r = dim(2), i = dim(3);
  auto components = RankedTensorType::get(int64_t(op.getFactors().size()), f32);
  SmallVector<float> factors(op.getFactors().begin(), op.getFactors().end());
  SmallVector<Value> inputs = {
      emitSums(),
      arith::ConstantOp::create(
          rewriter, loc,
          DenseElementsAttr::get(components, ArrayRef<float>(factors)))};
  SmallVector<AffineMap> maps = {identity(4), map(4, {r})};
  auto append = [&](Value tensor, AffineMap whole, AffineMap part) {
    if (!tensor)
      return;
    auto type = cast<RankedTensorType>(tensor.getType());
    inputs.push_back(tensor);
    maps.push_back(type.getRank() == whole.getNumResults() ? whole : part);
  };
  append(op.getTerm(), identity(4), map(4, {b, h, i}));
  append(op.getPrior(), map(4, {h, r}), map(4, {h, r}));
  Value result =
      generic(inputs, maps, tensorOf(sizes, f32, std::nullopt), identity(4),
              [&](OpBuilder &builder, Location loc, ValueRange args) -> Value {
                Value sum = product(builder, loc, args.take_front(2));
                for (Value term : args.drop_front(2).drop_back())
                  sum = arith::AddFOp::create(builder, loc, sum,
                                              toF32(builder, loc, term));
                return sum;
              });
  return castTo(op->getResults(), result).front();
}

Value mixattn::decompose(RowTermOp op, RewriterBase &rewriter) {
  return TermDecomposition(op, rewriter).emit();
}

Value mixattn::decompose(ProjectOp op, RewriterBase &rewriter) {
  return Projection(rewriter, op.getLoc()).emit(op);
}
