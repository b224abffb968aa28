// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The region of a stage that holds its attention.

#ifndef MIXATTN_PASSES_SCHEDULE_STAGE_REGION_H
#define MIXATTN_PASSES_SCHEDULE_STAGE_REGION_H

#include "dialect/attn/AttnOps.h"

namespace mixattn {

/// Makes the region of `stage` say that it is one of `op`.
inline void describeStage(mlir::OpBuilder &b, mlir::Operation *stage,
                          GenericOp op) {
  mlir::OpBuilder::InsertionGuard guard(b);
  b.createBlock(&stage->getRegion(0));
  mlir::Operation *own = b.clone(*op);
  own->removeDiscardableAttr("attn.plan");
  ResultsOp::create(b, op.getLoc(), own->getResults());
}

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_STAGE_REGION_H
