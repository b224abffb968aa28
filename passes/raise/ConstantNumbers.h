// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that are known for each index.

#ifndef MIXATTN_PASSES_RAISE_CONSTANT_NUMBERS_H
#define MIXATTN_PASSES_RAISE_CONSTANT_NUMBERS_H

#include "passes/raise/Expression.h"

namespace mixattn {

/// The value of `ref` at each index of `place`, on which alone it depends; none
/// where one is not known. Each is rounded to f32 where a tensor holds it.
std::optional<llvm::SmallVector<double>>
readConstants(Expressions &make, Expressions::Ref ref,
              llvm::ArrayRef<Atom> place);

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_CONSTANT_NUMBERS_H
