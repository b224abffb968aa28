// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verification and sizes of stages that hold their attention.

#ifndef MIXATTN_DIALECT_ATTN_ATTENTION_STAGE_H
#define MIXATTN_DIALECT_ATTN_ATTENTION_STAGE_H

#include "dialect/attn/VerifyShapes.h"

namespace mixattn::detail {

/// The attention in `region`, or null.
GenericOp findAttention(mlir::Region &region);

/// C1: the region of `op` holds an attention.
llvm::LogicalResult verifyAttention(mlir::Operation *op);

/// Checks that `party` is [B,H,N] of the results of `generic`, then `rest`.
llvm::LogicalResult verifyRows(mlir::Operation *op, GenericOp generic,
                               const Party &party,
                               llvm::ArrayRef<int64_t> rest = {});

/// Checks that the results of `op` are those of `generic`.
llvm::LogicalResult verifyResults(mlir::Operation *op, GenericOp generic);

/// Adds to `shapes` the sizes of a result of `type`: those of [B,H,N] of the
/// results of `generic`, then `rest`. Those of `rest` that `type` knows may be
/// null.
void reifyRows(mlir::OpBuilder &b, GenericOp generic,
               mlir::RankedTensorType type,
               llvm::ArrayRef<mlir::OpFoldResult> rest,
               mlir::ReifiedRankedShapedTypeDims &shapes);

/// Adds the sizes of all `results`, which are those of `generic`.
void reifyResults(mlir::OpBuilder &b, GenericOp generic,
                  mlir::ResultRange results,
                  mlir::ReifiedRankedShapedTypeDims &shapes);

} // namespace mixattn::detail

#endif // MIXATTN_DIALECT_ATTN_ATTENTION_STAGE_H
