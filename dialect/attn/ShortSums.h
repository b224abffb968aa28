// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums in f64 of f32 terms that have one sign.

#ifndef MIXATTN_DIALECT_ATTN_SHORT_SUMS_H
#define MIXATTN_DIALECT_ATTN_SHORT_SUMS_H

#include "llvm/ADT/StringRef.h"

namespace mixattn {

/// The unit attribute of a linalg op whose sums are f64, and whose terms are
/// f32, not negative and at most 2^120: up to `termsOfShortSum` terms may be
/// added in f32 before the sum goes to f64. The relative error of the sum stays
/// below 16 x 2^-24. A schedule need not do so.
inline constexpr llvm::StringLiteral shortSumsInF32 = "attn.short_sums_in_f32";
inline constexpr int64_t termsOfShortSum = 16;

} // namespace mixattn

#endif // MIXATTN_DIALECT_ATTN_SHORT_SUMS_H
