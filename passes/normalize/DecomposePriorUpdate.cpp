// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mean of responsibilities, summed in f64: sums over millions of places
// stay exact to f32.

#include "passes/body/ScoreBody.h"
#include "passes/normalize/LinalgEmitter.h"
#include "passes/normalize/PlainPaths.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits the stages of one op. Loops are b, h, r, i, j.
class MeanDecomposition : LinalgEmitter {
public:
  MeanDecomposition(PriorUpdateOp op, RewriterBase &rewriter)
      : LinalgEmitter(rewriter, op.getLoc()), op(op),
        gamma(op.getResponsibilities()) {}

  Value emit();

private:
  Value emitCount();

  PriorUpdateOp op;
  Value gamma;
};

} // namespace

/// How many places the mean runs over, in f64.
Value MeanDecomposition::emitCount() {
  Value count = arith::ConstantIndexOp::create(rewriter, loc, 1);
  for (int64_t over : {0, 3, 4})
    if (over != 4 || !op.getPerKey()) {
      Value size =
          getValueOrCreateConstantIndexOp(rewriter, loc, sizeOf(gamma, over));
      count = arith::MulIOp::create(rewriter, loc, count, size);
    }
  count =
      arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), count);
  return arith::SIToFPOp::create(rewriter, loc, f64, count);
}

Value MeanDecomposition::emit() {
  SmallVector<OpFoldResult> sizes = {sizeOf(gamma, 1), sizeOf(gamma, 2)};
  SmallVector<AffineExpr> kept = {dim(1), dim(2)};
  if (op.getPerKey()) {
    sizes.push_back(sizeOf(gamma, 4));
    kept.push_back(dim(4));
  }
  Value sums =
      generic(gamma, identity(5), tensorOf(sizes, f64, 0.0), map(5, kept),
              [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                Value share = toF64(b, args[0]);
                return arith::AddFOp::create(b, loc, args[1], share);
              });
  Value count = emitCount();
  AffineMap each = identity(kept.size());
  Value means =
      generic(sums, each, tensorOf(sizes, f32, std::nullopt), each,
              [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                Value mean = arith::DivFOp::create(b, loc, args[0], count);
                return arith::TruncFOp::create(b, loc, f32, mean);
              });
  Type element = cast<RankedTensorType>(gamma.getType()).getElementType();
  return castTo(op->getResults(), rounded(means, element)).front();
}

Value mixattn::decompose(PriorUpdateOp op, RewriterBase &rewriter) {
  return MeanDecomposition(op, rewriter).emit();
}
