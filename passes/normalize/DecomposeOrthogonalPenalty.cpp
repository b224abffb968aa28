// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The squared distance of a Gram matrix from the identity, in f64: products of
// two f32 are exact there.

#include "passes/body/ScoreBody.h"
#include "passes/normalize/LinalgEmitter.h"
#include "passes/normalize/PlainPaths.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits the stages of one op.
class PenaltyDecomposition : LinalgEmitter {
public:
  PenaltyDecomposition(OrthogonalPenaltyOp op, RewriterBase &rewriter)
      : LinalgEmitter(rewriter, op.getLoc()), op(op) {}

  Value emit();

private:
  Value emitGram();

  OrthogonalPenaltyOp op;
};

} // namespace

/// gram[a,a'] = sum_c mixer[c,a] mixer[c,a'], with loops a, a', c.
Value PenaltyDecomposition::emitGram() {
  Value mixer = op.getMixer();
  OpFoldResult columns = sizeOf(mixer, 1);
  return generic(
      {mixer, mixer}, {map(3, {dim(2), dim(0)}), map(3, {dim(2), dim(1)})},
      tensorOf({columns, columns}, f64, 0.0), map(3, {dim(0), dim(1)}),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value product =
            arith::MulFOp::create(b, loc, toF64(b, args[0]), toF64(b, args[1]));
        return arith::AddFOp::create(b, loc, args[2], product);
      });
}

Value PenaltyDecomposition::emit() {
  Value total =
      generic(emitGram(), identity(2), tensorOf({}, f64, 0.0), map(2, {}),
              [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                Value row = linalg::IndexOp::create(b, loc, 0);
                Value column = linalg::IndexOp::create(b, loc, 1);
                Value isDiagonal = arith::CmpIOp::create(
                    b, loc, arith::CmpIPredicate::eq, row, column);
                Value unit = arith::SelectOp::create(b, loc, isDiagonal,
                                                     constant(b, 1.0, f64),
                                                     constant(b, 0.0, f64));
                Value off = arith::SubFOp::create(b, loc, args[0], unit);
                Value square = arith::MulFOp::create(b, loc, off, off);
                return arith::AddFOp::create(b, loc, args[1], square);
              });
  Value penalty =
      generic(total, identity(0), tensorOf({}, f32, std::nullopt), identity(0),
              [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                return arith::TruncFOp::create(b, loc, f32, args[0]);
              });
  Type element = op.getMixer().getType().getElementType();
  return castTo(op->getResults(), rounded(penalty, element)).front();
}

Value mixattn::decompose(OrthogonalPenaltyOp op, RewriterBase &rewriter) {
  return PenaltyDecomposition(op, rewriter).emit();
}
