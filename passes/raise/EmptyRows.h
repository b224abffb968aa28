// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zeros in place of the weights of rows that see no key.

#ifndef MIXATTN_PASSES_RAISE_EMPTY_ROWS_H
#define MIXATTN_PASSES_RAISE_EMPTY_ROWS_H

#include "passes/raise/Expression.h"
#include "passes/raise/Softmaxes.h"

namespace mixattn {

/// The condition whose contrary `ref` is, or null.
Expressions::Ref contraryOf(Expressions::Ref ref);

/// Whether `ref` has an element of `tensor` in it.
bool readsTensor(Expressions::Ref ref, mlir::Value tensor);

/// The weights of `softmax` that `ref` chooses, or zeros where no score of the
/// row is above -inf; or null where it is something else. An attention's rows
/// that see no key have zeros.
Expressions::Ref findGuardedWeights(Expressions &make, Expressions::Ref ref,
                                    const FoundSoftmax &softmax);

/// The weights of `softmax` that `ref` chooses or zeros; or `ref` where it is
/// something else. Choices that change results, or may, are added to `zeroed`.
Expressions::Ref peelZeros(Expressions &make, Expressions::Ref ref,
                           const FoundSoftmax &softmax,
                           llvm::SmallVectorImpl<Expressions::Ref> &zeroed);

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_EMPTY_ROWS_H
