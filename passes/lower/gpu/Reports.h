// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels report values that are out of their range.

#ifndef MIXATTN_PASSES_LOWER_GPU_REPORTS_H
#define MIXATTN_PASSES_LOWER_GPU_REPORTS_H

#include "dialect/tile/TileOps.h"

namespace mixattn {

/// The reports under `root` on arguments of its function, now of the arguments
/// themselves, and not of parts. The others are erased: what they are about has
/// no number.
llvm::SmallVector<tile::ReportOp> takeReports(mlir::Operation *root);

/// Puts instructions in place of `report` on an argument. `status` is the
/// address of the caller's status word, a pointer of address space 1, or null.
void lowerReport(tile::ReportOp report, mlir::Value status);

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_GPU_REPORTS_H
