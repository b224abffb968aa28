// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-expand-named: writes ops of several steps, and gathers, as linalg ops
// with bodies.

#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mixattn {
#define GEN_PASS_DEF_EXPANDNAMEDPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The dims of the result of `op` that the rows of indices have.
static int64_t batchOf(tensor::GatherOp op) {
  return op.getIndicesType().getRank() - 1;
}

/// Whether the result of `op` has the picked dims, as ones.
static bool keepsDims(tensor::GatherOp op) {
  return op.getResultType().getRank() ==
         batchOf(op) + op.getSourceType().getRank();
}

/// The value of `op` at the element where a linalg body stands:
/// source[.., indices[batch.., g], ..], the g-th gathered dim being picked.
static Value pick(OpBuilder &b, Location loc, tensor::GatherOp op) {
  auto index = [&](int64_t dim) -> Value {
    return linalg::IndexOp::create(b, loc, dim);
  };
  SmallVector<Value> row;
  for (int64_t dim = 0; dim < batchOf(op); ++dim)
    row.push_back(index(dim));
  ArrayRef<int64_t> picked = op.getGatherDims();
  SmallVector<Value> place;
  int64_t next = batchOf(op);
  for (int64_t dim = 0; dim < op.getSourceType().getRank(); ++dim) {
    auto *found = llvm::find(picked, dim);
    if (found == picked.end()) {
      place.push_back(index(next++));
      continue;
    }
    next += keepsDims(op);
    SmallVector<Value> at = row;
    at.push_back(
        arith::ConstantIndexOp::create(b, loc, found - picked.begin()));
    Value number = tensor::ExtractOp::create(b, loc, op.getIndices(), at);
    place.push_back(
        number.getType().isIndex()
            ? number
            : arith::IndexCastOp::create(b, loc, b.getIndexType(), number));
  }
  return tensor::ExtractOp::create(b, loc, op.getSource(), place);
}

/// The sizes of the result of `op`.
static SmallVector<OpFoldResult> sizesOf(OpBuilder &b, tensor::GatherOp op) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < batchOf(op); ++dim)
    sizes.push_back(tensor::getMixedSize(b, loc, op.getIndices(), dim));
  for (int64_t dim = 0; dim < op.getSourceType().getRank(); ++dim) {
    if (!llvm::is_contained(op.getGatherDims(), dim))
      sizes.push_back(tensor::getMixedSize(b, loc, op.getSource(), dim));
    else if (keepsDims(op))
      sizes.push_back(b.getIndexAttr(1));
  }
  return sizes;
}

static void expand(IRRewriter &rewriter, tensor::GatherOp op) {
  rewriter.setInsertionPoint(op);
  RankedTensorType type = op.getResultType();
  Value init = tensor::EmptyOp::create(
      rewriter, op.getLoc(), sizesOf(rewriter, op), type.getElementType());
  if (init.getType() != type)
    init = tensor::CastOp::create(rewriter, op.getLoc(), type, init);
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, type, ValueRange(), init,
      ArrayRef<AffineMap>{rewriter.getMultiDimIdentityMap(type.getRank())},
      loops, [&](OpBuilder &b, Location loc, ValueRange) {
        linalg::YieldOp::create(b, loc, pick(b, loc, op));
      });
}

namespace {

struct ExpandNamedPass : mixattn::impl::ExpandNamedPassBase<ExpandNamedPass> {
  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation()->walk([&](Operation *op) {
      auto style = dyn_cast<DestinationStyleOpInterface>(op);
      if (isa<tensor::GatherOp>(op) ||
          (isa<linalg::AggregatedOpInterface>(op) && style &&
           style.hasPureTensorSemantics()))
        found.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : found) {
      if (auto gather = dyn_cast<tensor::GatherOp>(op)) {
        expand(rewriter, gather);
        continue;
      }
      rewriter.setInsertionPoint(op);
      FailureOr<SmallVector<Value>> steps =
          cast<linalg::AggregatedOpInterface>(op).decomposeOperation(rewriter);
      if (succeeded(steps))
        rewriter.replaceOp(op, *steps);
    }
  }
};

} // namespace
