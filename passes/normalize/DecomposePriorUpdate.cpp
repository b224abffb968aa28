// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mean of responsibilities, summed in f64: sums over millions of places
// stay exact to f32.

#include "passes/body/ScoreBody.h"
#include "dialect/attn/ShortSums.h"
#include "passes/normalize/LinalgEmitter.h"
#include "passes/normalize/PlainPaths.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits the stages of one op.
class MeanDecomposition : LinalgEmitter {
public:
  MeanDecomposition(PriorUpdateOp op, RewriterBase &rewriter)
      : LinalgEmitter(rewriter, op.getLoc()), op(op),
        gamma(op.getResponsibilities()) {}

  Value emit();

private:
  Value emitCount();
  Value emitSums();

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

/// sums[h,r,(j)], in f64. A sum over keys is one of each query's row first:
/// rows go to all threads.
Value MeanDecomposition::emitSums() {
  auto add = [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
    return arith::AddFOp::create(b, loc, args[1], toF64(b, args[0]));
  };
  OpFoldResult heads = sizeOf(gamma, 1), components = sizeOf(gamma, 2);
  if (op.getPerKey()) {
    // Loops h, r, j, b, i.
    SmallVector<OpFoldResult> sizes = {heads, components, sizeOf(gamma, 4)};
    return generic(gamma, map(5, {dim(3), dim(0), dim(1), dim(4), dim(2)}),
                   tensorOf(sizes, f64, 0.0), map(5, {dim(0), dim(1), dim(2)}),
                   add);
  }
  SmallVector<OpFoldResult> sizes = {sizeOf(gamma, 0), heads, components,
                                     sizeOf(gamma, 3)};
  Value ofRows = generic(gamma, identity(5), tensorOf(sizes, f64, 0.0),
                         map(5, {dim(0), dim(1), dim(2), dim(3)}), add);
  // Responsibilities are shares.
  ofRows.getDefiningOp()->setAttr(shortSumsInF32, rewriter.getUnitAttr());
  // Loops h, r, b, i.
  return generic(ofRows, map(4, {dim(2), dim(0), dim(1), dim(3)}),
                 tensorOf({heads, components}, f64, 0.0),
                 map(4, {dim(0), dim(1)}), add);
}

Value MeanDecomposition::emit() {
  Value sums = emitSums();
  Value count = emitCount();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, sums);
  AffineMap each = identity(sizes.size());
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
