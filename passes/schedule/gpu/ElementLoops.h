// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of what no schedule takes on a GPU, element by element.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_ELEMENT_LOOPS_H
#define MIXATTN_PASSES_SCHEDULE_GPU_ELEMENT_LOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mixattn {

/// Makes `linalg` ops of the copies between buffers in `root` that stand
/// outside of grids.
void replaceCopies(mlir::RewriterBase &rewriter, mlir::Operation *root);

/// Replaces `op`, which is on buffers, by one `scf.parallel` over the dims of
/// its results, with loops over what is summed up inside. Elements that its
/// body reads at computed places are those at the nearest place that there is:
/// the host of a GPU does not see values.
void emitElementLoops(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_GPU_ELEMENT_LOOPS_H
