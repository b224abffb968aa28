// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SizeList as PyTorch writes them: expressions of SymPy in its own notation.
#ifndef MIXATTN_LIB_IMPORT_SIZETEXT_H
#define MIXATTN_LIB_IMPORT_SIZETEXT_H

#include "lib/Import/LargestSize.h"

namespace mixattn {

/// The sizes that an exporter's symbols stand for: `N`, or `4 N_over_4`.
using SymbolSizes = std::map<std::string, SizePolynomial>;

/// The quotient by a product of dims; unknown where that is not whole.
SizePolynomial exactQuotient(const SizePolynomial &a, const SizePolynomial &b);

/// The quotient rounded down; unknown where that is no polynomial.
SizePolynomial floorQuotient(const SizePolynomial &a, int64_t divisor);

/// The polynomial that `text` is, for instance `Mul(Integer(4), Symbol('s77',
/// positive=True, integer=True))`, with sizes for symbols. A quotient rounded
/// down is one where all but its number is whole for all sizes; the largest and
/// the smallest of sizes are by the rules of LargestSize.h.
Result<SizePolynomial> parseSize(std::string_view text,
                                 const SymbolSizes &symbols, DimBounds &bounds);

/// The sizes of the first quotient in `text` that is not whole for all sizes;
/// none where there is none, or no text that parseSize reads.
std::optional<std::pair<SizePolynomial, SizePolynomial>>
findQuotient(std::string_view text, const SymbolSizes &symbols);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_SIZETEXT_H
