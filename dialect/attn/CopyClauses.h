// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One attention op with the clauses of another.

#ifndef MIXATTN_DIALECT_ATTN_COPY_CLAUSES_H
#define MIXATTN_DIALECT_ATTN_COPY_CLAUSES_H

#include "dialect/attn/AttnOps.h"

namespace mixattn {

namespace detail {
mlir::Operation *
createWithClauses(mlir::OpBuilder &b, AttentionOpInterface from,
                  llvm::StringRef name,
                  llvm::ArrayRef<llvm::StringLiteral> operandNames,
                  llvm::ArrayRef<llvm::StringRef> without);
} // namespace detail

/// Creates an attention op of another kind with the types of results, the
/// operands and the attributes of `from`. Its `score_mod` is moved. The kind
/// has all operands that `from` has, but those called `without`.
template <typename Op>
Op createWithClauses(mlir::OpBuilder &b, AttentionOpInterface from,
                     llvm::ArrayRef<llvm::StringRef> without = {}) {
  return llvm::cast<Op>(detail::createWithClauses(
      b, from, Op::getOperationName(), Op::getOperandNames(), without));
}

} // namespace mixattn

#endif // MIXATTN_DIALECT_ATTN_COPY_CLAUSES_H
