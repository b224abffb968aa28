// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of what no schedule takes on a GPU, element by element.

#include "passes/schedule/gpu/ElementLoops.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

/// `op` with its parallel dims first: the ones that threads share.
static linalg::LinalgOp putParallelFirst(RewriterBase &rewriter,
                                         linalg::LinalgOp op) {
  SmallVector<unsigned> order, reductions;
  op.getParallelDims(order);
  op.getReductionDims(reductions);
  llvm::append_range(order, reductions);
  if (llvm::is_sorted(order))
    return op;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::GenericOp> generic =
      linalg::generalizeNamedOp(rewriter, op);
  auto same = succeeded(generic) ? *generic
                                 : cast<linalg::GenericOp>(op.getOperation());
  FailureOr<linalg::GenericOp> turned =
      linalg::interchangeGenericOp(rewriter, same, order);
  assert(succeeded(turned) && "every order of dims will do");
  return *turned;
}

/// Has `op` read elements at computed places within their buffers, at the
/// nearest where there is none: the host of a GPU does not see values. Places
/// are compared before they lose bits: an index of a kernel has 32.
static void keepReadsInside(linalg::LinalgOp op) {
  op->walk([](memref::LoadOp load) {
    ImplicitLocOpBuilder b(load.getLoc(), load);
    Type wide = b.getI64Type();
    for (auto [dim, operand] : llvm::enumerate(load.getIndicesMutable())) {
      Value index = operand.get();
      if (index.getDefiningOp<linalg::IndexOp>() || getConstantIntValue(index))
        continue;
      if (auto cast = index.getDefiningOp<arith::IndexCastOp>())
        index = cast.getIn();
      if (index.getType().isIndex())
        index = arith::IndexCastOp::create(b, wide, index);
      else if (index.getType() != wide)
        index = arith::ExtSIOp::create(b, wide, index);
      Value size = arith::IndexCastOp::create(
          b, wide, memref::DimOp::create(b, load.getMemRef(), dim));
      auto number = [&](int64_t value) {
        return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
      };
      Value last = arith::SubIOp::create(b, size, number(1));
      index = arith::MaxSIOp::create(b, arith::MinSIOp::create(b, index, last),
                                     number(0));
      operand.set(arith::IndexCastOp::create(b, b.getIndexType(), index));
    }
  });
}

void mixattn::replaceCopies(RewriterBase &rewriter, Operation *root) {
  root->walk([&](memref::CopyOp copy) {
    if (copy->getParentOfType<tile::GridOp>() ||
        !isa<MemRefType>(copy.getSource().getType()) ||
        !isa<MemRefType>(copy.getTarget().getType()))
      return;
    rewriter.setInsertionPoint(copy);
    linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
    rewriter.eraseOp(copy);
  });
}

void mixattn::emitElementLoops(RewriterBase &rewriter, linalg::LinalgOp op) {
  keepReadsInside(op);
  op = putParallelFirst(rewriter, op);
  rewriter.setInsertionPoint(op);
  [[maybe_unused]] FailureOr<linalg::LinalgLoops> loops =
      linalg::linalgOpToParallelLoops(rewriter, op);
  assert(succeeded(loops) && "ops on buffers become loops");
  rewriter.eraseOp(op);
}
