// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that stay loops.

#ifndef MIXATTN_PASSES_BODY_NEVER_UNROLL_H
#define MIXATTN_PASSES_BODY_NEVER_UNROLL_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mixattn {

/// Keeps LLVM and ptxas from unrolling `loop`.
void neverUnroll(mlir::scf::ForOp loop);

} // namespace mixattn

#endif // MIXATTN_PASSES_BODY_NEVER_UNROLL_H
