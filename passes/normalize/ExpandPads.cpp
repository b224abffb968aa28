// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-expand-pads: writes pads as one loop over what they give, and tensors
// side by side as copies into what holds them all.

#include "passes/Passes.h"
#include "passes/body/IndexMath.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace mixattn {
#define GEN_PASS_DEF_EXPANDPADSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The sizes of what `op` gives.
static SmallVector<OpFoldResult> sizesOf(ImplicitLocOpBuilder &b,
                                         tensor::PadOp op) {
  IndexMath at(b);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), op.getSource());
  for (auto [dim, size, low, high] :
       llvm::enumerate(sizes, op.getMixedLowPad(), op.getMixedHighPad()))
    size = op.getResultType().isDynamicDim(dim)
               ? OpFoldResult(at.add(at.add(size, low), high))
               : b.getIndexAttr(op.getResultType().getDimSize(dim));
  return sizes;
}

namespace {

/// The element of what `op` pads that lies at `indices` of the result, and
/// whether there is one; null where there always is.
struct Padded {
  SmallVector<Value> place;
  Value isThere;
};

} // namespace

static Padded findPadded(ImplicitLocOpBuilder &b, tensor::PadOp op,
                         ArrayRef<Value> indices) {
  IndexMath at(b);
  Padded found;
  for (auto [dim, index, low, high] :
       llvm::enumerate(indices, op.getMixedLowPad(), op.getMixedHighPad())) {
    found.place.push_back(at.sub(index, low));
    if (isConstantIntValue(low, 0) && isConstantIntValue(high, 0))
      continue;
    // A place before the first is a large number without a sign: sizes have
    // less than 32 bits.
    Value size = at.value(
        tensor::getMixedSize(b, b.getLoc(), op.getSource(), int64_t(dim)));
    Value own = at.compare(arith::CmpIPredicate::ult, found.place.back(), size);
    found.isThere =
        found.isThere ? b.createOrFold<arith::AndIOp>(found.isThere, own) : own;
  }
  return found;
}

/// The value of `op` at the element where a linalg body stands.
static Value elementOf(ImplicitLocOpBuilder &b, tensor::PadOp op) {
  SmallVector<Value> indices;
  for (int64_t dim = 0; dim < op.getResultType().getRank(); ++dim)
    indices.push_back(linalg::IndexOp::create(b, dim));
  Padded padded = findPadded(b, op, indices);
  auto read = [&](OpBuilder &inside) -> Value {
    return tensor::ExtractOp::create(inside, b.getLoc(), op.getSource(),
                                     padded.place);
  };
  if (!padded.isThere)
    return read(b);
  // Outside nothing is read: there may be no element at all.
  return scf::IfOp::create(
             b, padded.isThere,
             [&](OpBuilder &inside, Location loc) {
               scf::YieldOp::create(inside, loc, read(inside));
             },
             [&](OpBuilder &inside, Location loc) {
               IRMapping mapping;
               Block &body = op.getRegion().front();
               mapping.map(body.getArguments(), indices);
               for (Operation &each : body.without_terminator())
                 inside.clone(each, mapping);
               Value value = body.getTerminator()->getOperand(0);
               scf::YieldOp::create(inside, loc,
                                    mapping.lookupOrDefault(value));
             })
      .getResult(0);
}

static void expand(IRRewriter &rewriter, tensor::PadOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  RankedTensorType type = op.getResultType();
  Value init =
      tensor::EmptyOp::create(b, sizesOf(b, op), type.getElementType());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, type, ValueRange(), init,
      ArrayRef<AffineMap>{b.getMultiDimIdentityMap(type.getRank())}, loops,
      [&](OpBuilder &inside, Location loc, ValueRange) {
        ImplicitLocOpBuilder body(loc, inside);
        linalg::YieldOp::create(inside, loc, elementOf(body, op));
      });
}

namespace {

struct ExpandPadsPass : mixattn::impl::ExpandPadsPassBase<ExpandPadsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation()->walk([&](Operation *op) {
      if (isa<tensor::PadOp, tensor::ConcatOp>(op))
        found.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : found) {
      rewriter.setInsertionPoint(op);
      if (auto pad = dyn_cast<tensor::PadOp>(op)) {
        expand(rewriter, pad);
        continue;
      }
      // Each tensor is copied to its place in the result.
      FailureOr<SmallVector<Value>> all =
          cast<tensor::ConcatOp>(op).decomposeOperation(rewriter);
      if (failed(all))
        return signalPassFailure();
      rewriter.replaceOp(op, *all);
    }
  }
};

} // namespace
