// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops that make the rows of a contraction's left side.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_DENSE_PRODUCERS_H
#define MIXATTN_PASSES_SCHEDULE_X86_DENSE_PRODUCERS_H

#include "dialect/attn/Contraction.h"

namespace mixattn {

/// The first dims of `op`'s left side, which are not summed over: a place in
/// them is a row. None where others lie among those that are.
std::optional<unsigned> countRowDims(const Contraction &op);

/// The ops before `op`, in their order, that make the rows of its left side, if
/// it is a contraction: those of a row alone are read for it, and by nothing
/// but the contraction and each other. None are pointwise ops that the result
/// of another contraction goes through: they are in its kernel.
llvm::SmallVector<mlir::Operation *> findRowProducers(mlir::Operation *op);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_DENSE_PRODUCERS_H
