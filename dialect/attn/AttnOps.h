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

#include <optional>
#include <type_traits>
#include <utility>

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

/// Output heads of an attention: the columns of a mixer of scores (`premixer`
/// or the MLP's `w2`, null where there is none), else the query's heads.
int64_t getOutputHeads(mlir::Value query, mlir::Value premixer, mlir::Value w2);

template <typename Adaptor, typename = void>
struct MayPremix : std::false_type {};
template <typename Adaptor>
struct MayPremix<Adaptor,
                 std::void_t<decltype(std::declval<Adaptor>().getPremixer())>>
    : std::true_type {};

/// The same, of an op that may or may not be able to mix scores.
template <typename Adaptor> int64_t getOutputHeads(Adaptor adaptor) {
  if constexpr (MayPremix<Adaptor>::value)
    return getOutputHeads(adaptor.getQuery(), adaptor.getPremixer(),
                          adaptor.getW2());
  else
    return getOutputHeads(adaptor.getQuery(), {}, {});
}

/// The types of an attention's results: [B,H,N,E] of the value's element type
/// (C11) and, where `segments` asks for them, weights [B,H,N,S] and lse
/// [B,H,N] in f32. The batch is static where any of the three operands says so.
llvm::LogicalResult
inferAttentionTypes(mlir::Value query, mlir::Value key, mlir::Value value,
                    int64_t heads, llvm::ArrayRef<int32_t> segments,
                    llvm::SmallVectorImpl<mlir::Type> &types);

/// Whether result types fit the inferred ones: they may say more or less about
/// their sizes.
bool areCompatibleAttentionTypes(mlir::TypeRange inferred,
                                 mlir::TypeRange given);

/// The sizes of the results of attention `op`: features are the value's, keys
/// the key's, all others the query's.
llvm::LogicalResult
reifyAttentionShapes(mlir::OpBuilder &builder, mlir::Operation *op,
                     mlir::ReifiedRankedShapedTypeDims &shapes);

} // namespace mixattn::detail

#define GET_OP_CLASSES
#include "dialect/attn/AttnOps.h.inc"

namespace mixattn {

/// Says every named attention op below `root` in the normal form.
void generalizeAll(mlir::Operation *root);

} // namespace mixattn

#endif // MIXATTN_DIALECT_ATTN_OPS_H
