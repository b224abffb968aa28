// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How each tile op of wgmma becomes instructions of warpgroups.

#ifndef MIXATTN_PASSES_LOWER_WGMMA_LOWERINGS_H
#define MIXATTN_PASSES_LOWER_WGMMA_LOWERINGS_H

#include "dialect/tile/WgmmaOps.h"

#include "mlir/IR/PatternMatch.h"

namespace mixattn {

/// The values that lowered ops of wgmma have: of rings and tiles their
/// addresses in shared memory, i32; of what is pending its fragments.
using Lowered = llvm::DenseMap<mlir::Value, mlir::Value>;

/// Each emits code in nvvm, llvm, scf, vector and arith before its op, and puts
/// what the op gives into `lowered`. The op stays.
void lower(mlir::OpBuilder &b, tile::WgmmaRingOp op, Lowered &lowered);
void lower(mlir::OpBuilder &b, tile::WgmmaOpenOp op, Lowered &lowered);
void lower(mlir::OpBuilder &b, tile::WgmmaFillOp op, Lowered &lowered);
void lower(mlir::OpBuilder &b, tile::WgmmaAwaitOp op, Lowered &lowered);
void lower(mlir::OpBuilder &b, tile::WgmmaReleaseOp op, Lowered &lowered);
void lower(mlir::OpBuilder &b, tile::WgmmaClearOp op, Lowered &lowered);
void lower(mlir::OpBuilder &b, tile::SharedTileOp op, Lowered &lowered);
void lower(mlir::OpBuilder &b, tile::WgmmaStoreOp op, Lowered &lowered);
void lower(mlir::OpBuilder &b, tile::WgmmaStoredOp op, Lowered &lowered);
void lower(mlir::OpBuilder &b, tile::WgmmaProductOp op, Lowered &lowered);
void lower(mlir::OpBuilder &b, tile::WgmmaWaitOp op, Lowered &lowered);
void lower(mlir::OpBuilder &b, tile::WgmmaBoundaryOp op, Lowered &lowered);
void lower(mlir::OpBuilder &b, tile::WgmmaOpenTurnsOp op, Lowered &lowered);
void lower(mlir::OpBuilder &b, tile::WgmmaTakeTurnOp op, Lowered &lowered);
void lower(mlir::OpBuilder &b, tile::WgmmaPassTurnOp op, Lowered &lowered);
void lower(mlir::OpBuilder &b, tile::WgmmaCloseTurnsOp op, Lowered &lowered);

/// Moves the regions of `op` to where their threads run them. What is in them
/// is lowered before.
void lower(mlir::RewriterBase &rewriter, tile::WgmmaRolesOp op);

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_WGMMA_LOWERINGS_H
