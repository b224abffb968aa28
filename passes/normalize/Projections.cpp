// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Projected keys and values as stages of their own.

#include "passes/normalize/Projections.h"

using namespace mlir;
using namespace mixattn;

bool mixattn::hasProjections(GenericOp op) {
  return bool(op.getKeyProjection());
}

bool mixattn::makeProjections(RewriterBase &rewriter, GenericOp op) {
  if (!hasProjections(op))
    return false;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Value key = ProjectOp::create(rewriter, op.getLoc(), op.getKey(),
                                op.getKeyProjection());
  Value value = ProjectOp::create(rewriter, op.getLoc(), op.getValue(),
                                  op.getValueProjection());
  rewriter.modifyOpInPlace(op, [&] {
    op.getKeyMutable().assign(key);
    op.getValueMutable().assign(value);
    op.getKeyProjectionMutable().clear();
    op.getValueProjectionMutable().clear();
  });
  return true;
}
