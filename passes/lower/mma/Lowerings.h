// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How each tile op of mma becomes instructions of a warp.

#ifndef MIXATTN_PASSES_LOWER_MMA_LOWERINGS_H
#define MIXATTN_PASSES_LOWER_MMA_LOWERINGS_H

#include "dialect/tile/TileOps.h"

#include "mlir/IR/PatternMatch.h"

namespace mixattn {

/// Each replaces its op by code in nvvm, llvm, scf, vector and arith.
void lower(mlir::RewriterBase &rewriter, tile::MmaCopyOp op);
void lower(mlir::RewriterBase &rewriter, tile::MmaCommitOp op);
void lower(mlir::RewriterBase &rewriter, tile::MmaWaitOp op);
void lower(mlir::RewriterBase &rewriter, tile::MmaLoadOp op);
void lower(mlir::RewriterBase &rewriter, tile::MmaProductOp op);

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_MMA_LOWERINGS_H
