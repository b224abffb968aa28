// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The region of a stage that holds its attention.

#ifndef MIXATTN_PASSES_SCHEDULE_STAGE_REGION_H
#define MIXATTN_PASSES_SCHEDULE_STAGE_REGION_H

#include "dialect/attn/AttnOps.h"

#include "mlir/IR/IRMapping.h"

namespace mixattn {

/// Makes the region of `stage` say that it is one of `op`, whose terms `terms`
/// it makes itself.
inline void describeStage(mlir::OpBuilder &b, mlir::Operation *stage,
                          GenericOp op, llvm::ArrayRef<RowTermOp> terms = {}) {
  mlir::OpBuilder::InsertionGuard guard(b);
  b.createBlock(&stage->getRegion(0));
  mlir::IRMapping inRegion;
  for (RowTermOp term : terms)
    b.clone(*term, inRegion);
  mlir::Operation *own = b.clone(*op, inRegion);
  own->removeDiscardableAttr("attn.plan");
  ResultsOp::create(b, op.getLoc(), own->getResults());
}

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_STAGE_REGION_H
