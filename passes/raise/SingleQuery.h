// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One query that has no dim of its own.

#ifndef MIXATTN_PASSES_RAISE_SINGLE_QUERY_H
#define MIXATTN_PASSES_RAISE_SINGLE_QUERY_H

#include "passes/raise/Expression.h"

namespace mixattn {

/// The ops from products of two tensors on, which the nearest ones before
/// `scores` are: what depends on them depends on a query.
llvm::SetVector<mlir::Operation *> findOpsOfQuery(mlir::Value scores);

/// `ref` with `query`, an atom of size 1, in the elements that are multiplied
/// by those of keys and summed over the same features: an index that changes
/// nothing, and tells queries.
Expressions::Ref placeQuery(Expressions &make, Expressions::Ref ref,
                            llvm::ArrayRef<Atom> query,
                            llvm::ArrayRef<Atom> key);

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_SINGLE_QUERY_H
