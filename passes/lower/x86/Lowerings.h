// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How each tile op of x86 becomes loops over vectors.

#ifndef MIXATTN_PASSES_LOWER_X86_LOWERINGS_H
#define MIXATTN_PASSES_LOWER_X86_LOWERINGS_H

#include "dialect/tile/TileOps.h"

#include "mlir/IR/PatternMatch.h"

namespace mixattn {

/// The facts of an x86 machine that the lowerings need.
struct VectorUnit {
  /// Floats of f32 in a register: 16, 8 or 4.
  int64_t lanes = 4;
  /// Whether one instruction multiplies and adds.
  bool hasFma = false;
  /// Registers of vectors.
  int64_t registers = 16;

  /// Rows of a product whose sums fit the registers together with a row of
  /// operands and a broadcast, for tiles of `chunks` registers a row. A CPU
  /// that begins two multiply-adds a cycle, each of four cycles, waits with
  /// fewer than 8 sums, and with 8 whenever one of them is late.
  int64_t rowsInRegisters(int64_t chunks) const {
    constexpr int64_t fewestSums = 12;
    return std::max<int64_t>(1, std::max(fewestSums, registers / 2) / chunks);
  }
};

/// Each replaces its op by code in scf, arith, vector and memref.
void lower(mlir::RewriterBase &rewriter, tile::PackOp op,
           const VectorUnit &unit);
void lower(mlir::RewriterBase &rewriter, tile::UnpackOp op,
           const VectorUnit &unit);
void lower(mlir::RewriterBase &rewriter, tile::ScoresOp op,
           const VectorUnit &unit);
void lower(mlir::RewriterBase &rewriter, tile::PoolOp op,
           const VectorUnit &unit);
void lower(mlir::RewriterBase &rewriter, tile::PairOp op,
           const VectorUnit &unit);
void lower(mlir::RewriterBase &rewriter, tile::WidenOp op,
           const VectorUnit &unit);
void lower(mlir::RewriterBase &rewriter, tile::MultiplyOp op,
           const VectorUnit &unit);
void lower(mlir::RewriterBase &rewriter, tile::UpdateOp op,
           const VectorUnit &unit);
void lower(mlir::RewriterBase &rewriter, tile::DotRowsOp op,
           const VectorUnit &unit);
void lower(mlir::RewriterBase &rewriter, tile::SquareRowsOp op,
           const VectorUnit &unit);
void lower(mlir::RewriterBase &rewriter, tile::SumRowsOp op,
           const VectorUnit &unit);
void lower(mlir::RewriterBase &rewriter, tile::Exp2Op op,
           const VectorUnit &unit);

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_X86_LOWERINGS_H
