// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exponentials over what divides them.

#ifndef MIXATTN_PASSES_RAISE_POWERS_H
#define MIXATTN_PASSES_RAISE_POWERS_H

#include "passes/raise/Expression.h"

namespace mixattn {

/// Whether `ref` is an exponential, to base e or 2.
bool isExponential(Expressions::Ref ref);
/// Whether an exponential is a factor of `ref`, or of each term of it.
bool isPower(Expressions::Ref ref);
/// `ref`, or what it is the magnitude of where that is at least 0.
Expressions::Ref withoutSign(const Expressions &make, Expressions::Ref ref);

/// The sum in what divides weights.
struct SumInDivisor {
  /// A total, or null where there is none.
  Expressions::Ref total = nullptr;
  /// Why it is not all that divides; or empty.
  llvm::StringRef whyNot = {};
};

SumInDivisor findSum(Expressions &make, Expressions::Ref divisor);

/// `power` over `divisor`.
struct Fraction {
  Expressions::Ref power, divisor;
};

/// The fractions that `ref` is: by a reciprocal that is a factor, or by a
/// logarithm that an exponent is less by.
llvm::SmallVector<Fraction> findFractions(Expressions &make,
                                          Expressions::Ref ref);

/// Whether `summed`, the operand of a total, is `power`, an atom of it standing
/// where `renamed` says for one of `power`.
bool isSumOf(Expressions &make, Expressions::Ref power, Expressions::Ref summed,
             const llvm::DenseMap<Atom, Atom> &renamed);

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_POWERS_H
