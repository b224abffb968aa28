// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How each tile op of x86 becomes loops over vectors.

#ifndef MIXATTN_PASSES_LOWER_X86_LOWERINGS_H
#define MIXATTN_PASSES_LOWER_X86_LOWERINGS_H

#include "dialect/tile/TileOps.h"
#include "passes/target/CpuModel.h"

#include "mlir/IR/PatternMatch.h"

namespace mixattn {

/// Each replaces its op by code in scf, arith, vector and memref.
void lower(mlir::RewriterBase &rewriter, tile::PackOp op, const CpuModel &cpu);
void lower(mlir::RewriterBase &rewriter, tile::UnpackOp op,
           const CpuModel &cpu);
void lower(mlir::RewriterBase &rewriter, tile::ProductOp op,
           const CpuModel &cpu);
/// A product with `amx`: by AMX, or by other instructions to the same bits.
void lowerByAmx(mlir::RewriterBase &rewriter, tile::ProductOp op,
                const CpuModel &cpu);
void emulateAmx(mlir::RewriterBase &rewriter, tile::ProductOp op,
                const CpuModel &cpu);
void lower(mlir::RewriterBase &rewriter, tile::PairOp op, const CpuModel &cpu);
void lower(mlir::RewriterBase &rewriter, tile::TransposeOp op,
           const CpuModel &cpu);
void lower(mlir::RewriterBase &rewriter, tile::WidenOp op, const CpuModel &cpu);
void lower(mlir::RewriterBase &rewriter, tile::DotRowsOp op,
           const CpuModel &cpu);
void lower(mlir::RewriterBase &rewriter, tile::SquareRowsOp op,
           const CpuModel &cpu);
void lower(mlir::RewriterBase &rewriter, tile::SumRowsOp op,
           const CpuModel &cpu);
void lower(mlir::RewriterBase &rewriter, tile::Exp2Op op, const CpuModel &cpu);

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_X86_LOWERINGS_H
