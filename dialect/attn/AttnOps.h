// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attn dialect: ops, attributes and the interfaces that passes ask.

#ifndef MIXATTN_DIALECT_ATTN_OPS_H
#define MIXATTN_DIALECT_ATTN_OPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <cmath>
#include <optional>

#include "dialect/attn/AttnDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/attn/AttnAttrs.h.inc"

#include "dialect/attn/AttnInterfaces.h.inc"

namespace mixattn {

/// Whether `name` is a C identifier: entries, their arguments and dims become
/// identifiers of the generated header.
bool isIdentifier(llvm::StringRef name);

} // namespace mixattn

namespace mixattn::detail {

/// The type of an attention's result, [B,H,N,E] of the value's element type
/// (C11). The batch is static where any of the three operands says so.
llvm::LogicalResult
inferAttentionType(mlir::Value query, mlir::Value key, mlir::Value value,
                   llvm::SmallVectorImpl<mlir::Type> &types);

/// Whether a result type fits the inferred one: it may say more or less about
/// its sizes.
bool isCompatibleAttentionType(mlir::TypeRange inferred,
                               mlir::TypeRange given);

/// The sizes of the result of attention `op`: features are the value's, all
/// others the query's.
llvm::LogicalResult
reifyAttentionShape(mlir::OpBuilder &builder, mlir::Operation *op,
                    mlir::ReifiedRankedShapedTypeDims &shapes);

} // namespace mixattn::detail

#define GET_OP_CLASSES
#include "dialect/attn/AttnOps.h.inc"

#endif // MIXATTN_DIALECT_ATTN_OPS_H
