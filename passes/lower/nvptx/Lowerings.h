// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How each tile op of nvptx becomes instructions of a warp.

#ifndef MIXATTN_PASSES_LOWER_NVPTX_LOWERINGS_H
#define MIXATTN_PASSES_LOWER_NVPTX_LOWERINGS_H

#include "dialect/tile/TileOps.h"

#include "mlir/IR/PatternMatch.h"

namespace mixattn {

/// Each replaces its op by code in nvvm, llvm, scf, vector and arith.
void lower(mlir::RewriterBase &rewriter, tile::NvptxCopyOp op);
void lower(mlir::RewriterBase &rewriter, tile::NvptxCommitOp op);
void lower(mlir::RewriterBase &rewriter, tile::NvptxWaitOp op);
void lower(mlir::RewriterBase &rewriter, tile::NvptxLoadOp op);
void lower(mlir::RewriterBase &rewriter, tile::NvptxStoreOp op);
void lower(mlir::RewriterBase &rewriter, tile::NvptxMmaOp op);
void lower(mlir::RewriterBase &rewriter, tile::NvptxMapOp op);
void lower(mlir::RewriterBase &rewriter, tile::NvptxRowMaxOp op);
void lower(mlir::RewriterBase &rewriter, tile::NvptxRowSumOp op);
void lower(mlir::RewriterBase &rewriter, tile::NvptxToOperandOp op);

/// Adds the patterns that turn functions of the math dialect on f32 into
/// instructions and polynomials.
void populateFunctionsToNvptx(mlir::RewritePatternSet &patterns);

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_NVPTX_LOWERINGS_H
