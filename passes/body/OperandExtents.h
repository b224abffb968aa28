// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How operands of an attention change over queries and keys.

#ifndef MIXATTN_PASSES_BODY_OPERAND_EXTENTS_H
#define MIXATTN_PASSES_BODY_OPERAND_EXTENTS_H

#include "dialect/attn/AttnOps.h"

namespace mixattn {

/// Within a head, an operand has one element for all pairs of a query and a
/// key, or one for each query, each key or each pair.
enum class Extent { Uniform, PerQuery, PerKey, PerPair };

/// The extent of an operand of type `type` that broadcasts from the right to
/// `[B,H,N,S]`.
Extent extentOf(mlir::RankedTensorType type);

/// The operands of `op` that have an element for each pair, of which only that
/// of the pair is read: those that a score_mod reads, too, are left out.
llvm::SmallVector<mlir::Value> getPairOperands(AttentionOpInterface op);

/// Whether a number may hide keys of `op` from queries: there can be keys that
/// no query of a tile sees, and what their values hold must not reach a result,
/// not even times 0.
bool mayHideKeys(AttentionOpInterface op);

} // namespace mixattn

#endif // MIXATTN_PASSES_BODY_OPERAND_EXTENTS_H
