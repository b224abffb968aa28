// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How each op on fragments becomes instructions of a warp.

#ifndef MIXATTN_PASSES_LOWER_GPU_LOWERINGS_H
#define MIXATTN_PASSES_LOWER_GPU_LOWERINGS_H

#include "dialect/tile/TileOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace mixattn {

/// Each replaces its op by code in nvvm, llvm, scf, vector and arith.
void lower(mlir::RewriterBase &rewriter, tile::StoreOp op);
void lower(mlir::RewriterBase &rewriter, tile::PutOp op);
void lower(mlir::RewriterBase &rewriter, tile::StoreRowsOp op);
void lower(mlir::RewriterBase &rewriter, tile::LoadRowsOp op);
void lower(mlir::RewriterBase &rewriter, tile::MapOp op);
void lower(mlir::RewriterBase &rewriter, tile::RowMaxOp op);
void lower(mlir::RewriterBase &rewriter, tile::RowSumOp op);
void lower(mlir::RewriterBase &rewriter, tile::JoinMaxOp op);
void lower(mlir::RewriterBase &rewriter, tile::JoinSumOp op);
void lower(mlir::RewriterBase &rewriter, tile::AnyOp op);
void lower(mlir::RewriterBase &rewriter, tile::ToOperandOp op);
void lower(mlir::RewriterBase &rewriter, tile::FetchOp op);
void lower(mlir::RewriterBase &rewriter, tile::FetchedOp op);
void lower(mlir::RewriterBase &rewriter, tile::SharedReadOp op);
void lower(mlir::RewriterBase &rewriter, tile::SharedWriteOp op);
void lower(mlir::RewriterBase &rewriter, tile::SharedWriteRowOp op);

/// 2 to the power of `x`, an f32 of at most 127, without the unit of
/// exponentials: 2^-22 off at most, relative. Below 2^-126 it is 0.
mlir::Value emitExp2ByPolynomial(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

/// Adds the patterns that turn functions of the math dialect on f32 into
/// instructions and polynomials.
void populateFunctionsToInstructions(mlir::RewritePatternSet &patterns);

/// Add patterns that make arithmetic of functions on f32 without an
/// instruction: sin, cos and tan; asin, acos, atan and atan2; powf, fpowi,
/// ipowi and cbrt; sinh, cosh, their inverses, erfc and log10; tanh.
void populateAngles(mlir::RewritePatternSet &patterns);
void populateInverseAngles(mlir::RewritePatternSet &patterns);
void populatePowers(mlir::RewritePatternSet &patterns);
void populateExponentials(mlir::RewritePatternSet &patterns);
void populateTanh(mlir::RewritePatternSet &patterns);

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_GPU_LOWERINGS_H
