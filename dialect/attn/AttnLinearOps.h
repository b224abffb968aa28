// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of linear attention ops, for the code that is generated for each.

#ifndef MIXATTN_DIALECT_ATTN_LINEAR_OPS_H
#define MIXATTN_DIALECT_ATTN_LINEAR_OPS_H

#include "dialect/attn/AttnOps.h"

namespace mixattn::detail {

/// For each dimension of a linear attention's result, one that has its size.
llvm::SmallVector<OperandDim> getLinearDims(mlir::Value query, mlir::Value key,
                                            mlir::Value value);

/// [B,Hq,N,E] of the value's element type (C10).
mlir::Type inferLinearType(mlir::Value query, mlir::Value key,
                           mlir::Value value);

/// Pairs of dimensions of operands that the constraints of `op` need equal.
llvm::SmallVector<std::pair<OperandDim, OperandDim>>
getLinearTies(LinearAttentionOpInterface op);

} // namespace mixattn::detail

#endif // MIXATTN_DIALECT_ATTN_LINEAR_OPS_H
